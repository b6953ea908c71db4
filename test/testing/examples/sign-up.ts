/** The sign-up page of an application, as its tests load it. */
import { install, type Widget } from 'email-verify-widget';

export function showSignUp(): Widget {
  document.body.innerHTML = `
    <form name="sign-up">
      <label for="email">Email</label> <input id="email" type="email" name="email">
      <button>Sign up</button>
    </form>`;
  return install({ apiKey: 'test_public_key', baseUrl: 'https://api.example', verifyAfterDelay: 0 });
}
