// @vitest-environment happy-dom
import { handlers } from 'email-verify-widget/testing/msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { showSignUp } from './sign-up.ts';

const verification = handlers({ answers: { 'a@b.example': 'undeliverable', 'busy@b.example': 'drop' } });
const server = setupServer(...verification);
let widget: ReturnType<typeof showSignUp>;

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => widget.destroy());
afterAll(() => server.close());

/** Types an address, as a visitor does. */
function type(address: string): HTMLInputElement {
  widget = showSignUp();
  const input = document.querySelector<HTMLInputElement>('#email')!;
  input.value = address;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
  return input;
}

it('rejects an address that does not exist', async () => {
  const input = type('a@b.example');
  await vi.waitFor(() => expect(input.dataset.emailVerify).toBe('rejected'));
  expect(input.validationMessage).toBe('This address does not seem to exist.');
  expect(verification.asked).toContain('a@b.example');
});

it('lets a visitor go on when the service is down', async () => {
  const input = type('busy@b.example');
  await vi.waitFor(() => expect(input.dataset.emailVerify).toBe('error'));
  expect(input.checkValidity()).toBe(true);
});
