/** React: form actions, with an uncontrolled input, which React empties after the action. */
import { useActionState } from 'react';

async function signUp(_before: string, data: FormData): Promise<string> {
  const sent = new URLSearchParams([...data].map(([name, value]) => [name, String(value)]));
  await fetch('/submit', { method: 'POST', body: sent });
  return String(data.get('email'));
}

export function Action() {
  const [signedUp, action, isPending] = useActionState(signUp, '');
  const [postponed, later] = useActionState(signUp, '');
  return (
    <form action={action}>
      <label htmlFor="email">Email</label>
      <input id="email" name="email" type="email" suppressHydrationWarning />
      <button id="send" type="submit" name="via" value="button" disabled={isPending}>
        Send
      </button>
      <button id="later" type="submit" formAction={later}>
        Later
      </button>
      <output id="signed-up">{signedUp}</output>
      <output id="postponed">{postponed}</output>
    </form>
  );
}
