/** One connection of a scripted mail server. */
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { Act, Step } from './acts.ts';
import { multiline } from './acts.ts';
import type { MailScript } from './mail-script.ts';

export interface Session {
  readonly script: () => MailScript;
  readonly number: number;
  secureContext(isOld: boolean): SecureContext;
  /** The name that the client wants to reach (SNI). */
  sawName(name: string | undefined): void;
  log(line: string, early: boolean, tls: boolean): void;
  /** Whether greylisting has seen it before. */
  isKnown(triplet: string): boolean;
  /** How many connections are open, this one included. */
  openConnections(): number;
}

const list = (step: Step): readonly Act[] => (Array.isArray(step) ? step : [step as Act]);
const addressIn = (line: string) => /<(.*)>/.exec(line)?.[1] ?? '';

export async function serve(raw: Socket, session: Session): Promise<void> {
  const { script } = session;
  let socket: Socket = raw;
  let isTls = false;
  let isBusy = true;
  let isPunished = false;
  let helo = '';
  let sender = '';
  let recipients = 0;
  let received = '';
  const queue: string[] = [];
  let wake: (() => void) | undefined;
  const ended = new AbortController();

  const onData = (bytes: Buffer) => {
    received += bytes.toString('utf8');
    for (let end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n')) {
      const line = received.slice(0, end).replace(/\r$/, '');
      received = received.slice(end + 1);
      const isEarly = isBusy || queue.length > 0;
      isPunished ||= isEarly;
      session.log(line, isEarly, isTls);
      queue.push(line);
    }
    wake?.();
  };
  const gone = new Promise((resolve) => ended.signal.addEventListener('abort', resolve));
  const onEnd = () => {
    ended.abort();
    wake?.();
  };
  const listen = () => socket.on('data', onData).on('error', () => {});
  raw.on('close', onEnd).on('error', () => {});
  listen();

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        ended.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      ended.signal.addEventListener('abort', done);
    });
  const write = (bytes: string | Buffer) =>
    new Promise<void>((resolve) => {
      if (ended.signal.aborted || !socket.writable) return resolve();
      const done = () => {
        ended.signal.removeEventListener('abort', done);
        resolve();
      };
      ended.signal.addEventListener('abort', done);
      socket.write(bytes, done);
    });

  /** @returns whether the session goes on */
  async function act(step: Act): Promise<boolean> {
    if (typeof step === 'string') await write(`${step.split('\n').join('\r\n')}\r\n`);
    else if ('raw' in step) await write(step.raw);
    else if ('waitMs' in step) await pause(step.waitMs);
    else if ('until' in step) await Promise.race([step.until, gone]);
    else if ('trickle' in step) {
      for (const [index, byte] of Buffer.from(step.trickle).entries()) {
        if (index > 0) await pause(step.everyMs);
        if (ended.signal.aborted) return false;
        await write(Buffer.of(byte));
      }
    } else if ('flood' in step) {
      const block = Buffer.from(step.lineEnds ? '250-flood\r\n'.repeat(1000) : 'x'.repeat(10_000));
      for (let sent = 0; sent < step.flood && !ended.signal.aborted; sent += block.length) await write(block);
    } else {
      // After its last reply, the server waits for nothing, and QUIT may still come.
      if (step.do !== 'silence') isBusy = false;
      if (step.do === 'close') socket.end();
      if (step.do === 'reset') raw.resetAndDestroy();
      return false;
    }
    return !ended.signal.aborted;
  }
  async function play(step: Step): Promise<boolean> {
    for (const one of list(step)) if (!(await act(one))) return false;
    return true;
  }

  async function startTls(): Promise<boolean> {
    const { starttls = 'none', injectedBeforeTls = '', oldTls = false } = script();
    if (starttls === 'none') return play('502 5.5.1 Not implemented');
    if (starttls === 'busy') return play(['421 4.3.2 Busy', { do: 'close' }]);
    if (starttls === 'unwelcome') return play('503 5.5.1 Error: send HELO/EHLO first');
    if (starttls === 'refused') return play('454 4.7.0 TLS not available due to local problem');
    raw.off('data', onData);
    received = '';
    if (starttls === 'hanging') raw.resume();
    if (starttls === 'closing') raw.once('data', () => raw.end());
    if (starttls === 'broken') raw.once('data', () => raw.write('500 what is this?\r\n'));
    await write(`220 2.0.0 Ready to start TLS\r\n${injectedBeforeTls}`);
    if (starttls === 'hanging' || starttls === 'closing' || starttls === 'broken') return false;
    const tls = new TLSSocket(raw, { isServer: true, secureContext: session.secureContext(oldTls) });
    tls.on('secure', () => session.sawName(tls.servername || undefined));
    socket = tls;
    isTls = true;
    if (starttls === 'mute') {
      tls.on('error', () => {}).resume();
      return false;
    }
    listen();
    return true;
  }

  function recipientStep(recipient: string): Step {
    const { rcpt, mailboxes, catchAll, greylist, recipientsBefore421 = Number.POSITIVE_INFINITY } = script();
    recipients += 1;
    if (recipients > recipientsBefore421) return ['421 4.7.0 Too many recipients, closing', { do: 'close' }];
    const ip = raw.remoteAddress ?? '';
    const exists = catchAll || !mailboxes || mailboxes.includes(recipient);
    const isGreylisted = greylist === 'mailboxes' ? exists : greylist;
    if (isGreylisted && !session.isKnown(`${ip} ${sender} ${recipient}`))
      return '450 4.2.0 Greylisted, try again later';
    if (typeof rcpt === 'function')
      return rcpt(recipient, { ip, sender, connection: session.number, nth: recipients, helo });
    if (rcpt !== undefined) return rcpt;
    return exists ? '250 2.1.5 OK' : `550 5.1.1 <${recipient}>: Recipient address rejected: User unknown`;
  }

  function ehloReply(): Step {
    const {
      ehlo,
      extensions = ['PIPELINING', '8BITMIME', 'SIZE 10485760'],
      smtpUtf8 = false,
      starttls = 'none',
    } = script();
    if (ehlo !== undefined) return ehlo;
    const isTlsOffered = !isTls && starttls !== 'none' && starttls !== 'unlisted';
    return multiline(
      250,
      'mx.test at your service',
      ...extensions,
      ...(isTlsOffered ? ['STARTTLS'] : []),
      ...(smtpUtf8 ? ['SMTPUTF8'] : []),
    );
  }

  /** The next line of the client, or `undefined` at the end of the connection. */
  async function nextLine(): Promise<string | undefined> {
    while (!ended.signal.aborted) {
      isBusy = false;
      const line = queue.shift();
      if (line !== undefined) {
        isBusy = true;
        return line;
      }
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return undefined;
  }

  async function answer(line: string): Promise<boolean> {
    const verb = line.split(/[ :]/)[0]!.toUpperCase();
    const { mail = '250 2.1.0 OK', rset = '250 2.0.0 OK', tlsRequired = false } = script();
    if (verb === 'EHLO' || verb === 'HELO') {
      helo = line.slice(5);
      return play(verb === 'EHLO' ? ehloReply() : (script().helo ?? '250 mx.test'));
    }
    if (verb === 'STARTTLS') return startTls();
    if (verb === 'MAIL') {
      if (tlsRequired && !isTls) return play('530 5.7.0 Must issue a STARTTLS command first');
      if (sender !== '') return play('503 5.5.1 Nested MAIL command');
      if (!/^MAIL FROM:<[^<>]*>( SMTPUTF8)?$/.test(line))
        return play('501 5.5.4 Syntax: MAIL FROM:<address>');
      sender = addressIn(line) || '<>';
      return play(mail);
    }
    if (verb === 'RCPT') {
      if (sender === '') return play('503 5.5.1 Need MAIL before RCPT');
      return play(recipientStep(addressIn(line)));
    }
    if (verb === 'RSET') {
      sender = '';
      return play(rset);
    }
    const { data } = script();
    if (verb === 'DATA' && data !== undefined) {
      if (!(await play('354 End data with <CR><LF>.<CR><LF>'))) return false;
      while ((await nextLine()) !== '.' && !ended.signal.aborted);
      return play(data);
    }
    if (verb === 'QUIT') return play([...list(script().quit ?? '221 2.0.0 Bye'), { do: 'close' }]);
    return play('502 5.5.2 Command not recognised');
  }

  const { banner = '220 mx.test ESMTP', connectionsBefore421 = Number.POSITIVE_INFINITY } = script();
  let goesOn =
    session.openConnections() > connectionsBefore421
      ? await play('421 4.7.0 Too many connections')
      : await play(banner);
  if (goesOn && isPunished && script().punishEarlyTalkers) {
    goesOn = await play(['554 5.5.1 Protocol error: you spoke too early', { do: 'close' }]);
  }
  while (goesOn && !ended.signal.aborted) {
    const line = await nextLine();
    if (line !== undefined) goesOn = await answer(line);
  }
}
