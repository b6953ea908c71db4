/** React: the hook and the component, which share one widget. */
import { EmailInput, installEmailVerify, useEmailVerify } from 'email-verify-widget/react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { send, told } from '../page.ts';

export function Components() {
  const [isShown, setShown] = useState(true);
  const [isSecondShown, setSecondShown] = useState(true);
  const [heard, setHeard] = useState('');
  const tell = (event: Event) => setHeard(heard + told(event));

  useEffect(() => installEmailVerify({ apiKey: 'test_public_key' }), []);

  return (
    <>
      <button id="turn" type="button" onClick={() => setShown(!isShown)}>
        Turn the page
      </button>
      <button id="turn-second" type="button" onClick={() => setSecondShown(!isSecondShown)}>
        Turn the second
      </button>
      {isShown && <SignUp tell={tell} />}
      {isSecondShown && <WorkEmail />}
      <input id="stranger" type="email" aria-label="Someone else's" />
      <output id="heard">{heard}</output>
    </>
  );
}

function SignUp({ tell }: { tell: (event: Event) => void }) {
  const [email, setEmail] = useState('');
  const input = useRef<HTMLInputElement>(null);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    send(email, (event.nativeEvent as SubmitEvent).submitter);
  }

  return (
    <form onSubmit={submit}>
      <label htmlFor="email">Email</label>
      <EmailInput
        id="email"
        name="email"
        ref={input}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        verify={{ verifyAfterDelay: 500 }}
        onVerified={tell}
        onError={tell}
      />
      <button type="button" id="focus" onClick={() => input.current?.focus()}>
        Focus
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

function WorkEmail() {
  const [work, setWork] = useState('');
  const { inputProps, state, message } = useEmailVerify({ allow: { free: false } });
  return (
    <label>
      Work email{' '}
      <input
        type="email"
        name="work"
        value={work}
        onChange={(event) => setWork(event.target.value)}
        {...inputProps}
      />
      <output>{state === 'rejected' ? message : state}</output>
    </label>
  );
}
