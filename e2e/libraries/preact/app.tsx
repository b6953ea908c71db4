/** @jsxImportSource preact */
/** Preact: a controlled input, hooks. */
import type { TargetedEvent, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { send, told } from '../../frameworks/page.ts';

// Lower case: to Preact, `onVerified` is an event named "Verified".
declare module 'preact' {
  interface HTMLAttributes<RefType extends EventTarget> {
    onverified?: (event: TargetedEvent<RefType>) => void;
  }
}

export function App() {
  const [isShown, setShown] = useState(true);
  const [heard, setHeard] = useState('');
  return (
    <>
      <button id="turn" type="button" onClick={() => setShown(!isShown)}>
        Turn the page
      </button>
      {isShown && <SignUp tell={(event) => setHeard((before) => before + told(event))} />}
      <output id="heard">{heard}</output>
    </>
  );
}

function SignUp({ tell }: { tell: (event: Event) => void }) {
  const [email, setEmail] = useState('');
  const [hasTip, setTip] = useState(false);

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    send(email, event.submitter);
  }

  return (
    <form onSubmit={submit} noValidate>
      <label htmlFor="email">Email</label>
      <input
        id="email"
        name="email"
        type="email"
        value={email}
        onInput={(event) => setEmail(event.currentTarget.value)}
        onverified={tell}
        onError={tell}
        aria-describedby={hasTip ? 'tip-text' : undefined}
        class={email ? 'filled' : 'empty'}
      />
      <p id="tip-text">We write once a month.</p>
      <button id="tip" type="button" onClick={() => setTip(!hasTip)}>
        Tip
      </button>
      <button type="submit" value="first">
        Other
      </button>
      <button id="send" type="submit" value="button">
        Send
      </button>
      <output id="model">{email}</output>
    </form>
  );
}
