/** React: inputs whose options change after a verdict, one with the component and one with the hook. */
import type { GivenOptions } from 'email-verify-widget';
import { type ComponentOptions, EmailInput, useEmailVerify } from 'email-verify-widget/react';
import { useState } from 'react';

export function Changing() {
  const [apiKey, setApiKey] = useState('test_public_key');
  const [allow, setAllow] = useState<GivenOptions['allow']>();
  const [messages, setMessages] = useState<GivenOptions['messages']>();
  const [failure, setFailure] = useState('');
  const options = { apiKey, allow, messages };

  return (
    <>
      <button id="forbid" type="button" onClick={() => setAllow({ free: false })}>
        Forbid
      </button>
      <button id="reword" type="button" onClick={() => setMessages({ free: 'At work, please.' })}>
        Reword
      </button>
      <button id="no-key" type="button" onClick={() => setApiKey('')}>
        No key
      </button>
      <button id="key" type="button" onClick={() => setApiKey('test_public_key')}>
        Key
      </button>
      <form>
        <label htmlFor="email">Email</label>
        <EmailInput
          id="email"
          name="email"
          verify={options}
          onError={({ detail }) => setFailure(detail.message)}
        />
        <WorkEmail options={options} />
        <button id="send" type="submit">
          Send
        </button>
      </form>
      <output id="failure">{failure}</output>
    </>
  );
}

function WorkEmail({ options }: { options: ComponentOptions }) {
  const { inputProps } = useEmailVerify(options);
  return <input type="email" name="work" aria-label="Work email" {...inputProps} />;
}
