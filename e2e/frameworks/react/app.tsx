/** React: a controlled input and `onSubmit`. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { send, told } from '../page.ts';

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

  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const { current } = input;
    current?.addEventListener('verified', tell);
    current?.addEventListener('error', tell);
    return () => {
      current?.removeEventListener('verified', tell);
      current?.removeEventListener('error', tell);
    };
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    send(email, (event.nativeEvent as SubmitEvent).submitter);
  }

  return (
    <form onSubmit={submit} noValidate suppressHydrationWarning>
      <label htmlFor="email">Email</label>
      <input
        id="email"
        ref={input}
        name="email"
        type="email"
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        aria-describedby={hasTip ? 'tip-text' : undefined}
        className={email ? 'filled' : 'empty'}
        suppressHydrationWarning
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
