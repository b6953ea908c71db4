/** A person with a browser without scripts, which keeps cookies, and fills in the forms of the pages. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type HTMLDocument, type HTMLFormElement, type HTMLInputElement, Window } from 'happy-dom';
import type { Db } from '../../../src/service/database/schema.ts';
import { hashPassword } from '../../../src/service/people/accounts/password-hash.ts';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../src/service/people/members/roles.ts';
import { createPerson, setPersonPassword } from '../../../src/service/people/persons/person-store.ts';
import { makeAccount, ownerOf } from './account.ts';
import { CHEAP_PASSWORDS } from './stored-service.ts';

export const PASSWORD = 'correct horse battery';

/** Each hash contains its cost, so a cheap one works with every service. */
const passwordHash = await hashPassword(PASSWORD, CHEAP_PASSWORDS);

export interface Person {
  /** The account's. */
  readonly id: string;
  readonly personId: string;
  readonly email: string;
}

/** Makes an account, whose owner has `PASSWORD`. */
export async function makePerson(db: Db, credits = 0): Promise<Person> {
  const id = await makeAccount(db, credits);
  const { personId, email } = ownerOf(id);
  await setPersonPassword(db, personId, passwordHash);
  return { id, personId, email };
}

let members = 0;
/** Makes a person with `PASSWORD` who has this role in an account, or who has no account. */
export async function makeMember(db: Db, accountId: string | undefined, role: Role): Promise<Person> {
  members += 1;
  const email = `${role}-${process.pid}-${members}@example.com`;
  const made = await createPerson(db, { email, passwordHash });
  if (made === 'exists') throw new Error(`Expected a new person, got ${email}, who exists.`);
  if (accountId !== undefined) await setMember(db, accountId, made.id, role);
  return { id: accountId ?? 'none', personId: made.id, email };
}

/** happy-dom 21 gives a select of a parsed page the value of another option than the selected one. */
function valueOfField(field: HTMLInputElement): string {
  if (field.tagName !== 'SELECT') return field.value;
  const option = field.querySelector('option[selected]') ?? field.querySelector('option');
  return option?.getAttribute('value') ?? '';
}

/** All pages share a window, because a new one takes longer than a page. No script of a page runs. */
const PAGES = new new Window().DOMParser();

type Fields = Readonly<Record<string, string>>;

export interface Send {
  readonly headers?: Readonly<Record<string, string>>;
  readonly ip?: string;
}

/** A service: an app in this process, or the URL of a process. */
interface Reachable {
  inject(options: InjectOptions): Promise<LightMyRequestResponse>;
}

export interface SentFile {
  readonly name: string;
  readonly bytes: Buffer;
}

export class Visitor {
  readonly cookies = new Map<string, string>();
  /** The latest response, and its page. */
  response!: LightMyRequestResponse;
  document!: HTMLDocument;

  constructor(
    readonly app: Reachable,
    private readonly defaults: Send = {},
  ) {}

  /** Opens a page. It does not follow redirects. */
  open(url: string, send: Send = {}): Promise<this> {
    return this.request({ method: 'GET', url }, send);
  }

  /** Follows the redirect of the latest response. */
  follow(): Promise<this> {
    const { location } = this.response.headers;
    if (typeof location !== 'string')
      throw new Error(`Expected a redirect, got ${this.response.statusCode}.`);
    return this.open(location);
  }

  /** Fills in the form that has this button, and presses it. `null` removes a field. */
  press(
    button: string,
    fields: Readonly<Record<string, string | null>> = {},
    send: Send = {},
  ): Promise<this> {
    const { action, sent } = this.formOf(button);
    for (const [label, value] of Object.entries(fields)) {
      const field = this.input(label)?.name ?? label;
      if (value === null) delete sent[field];
      else sent[field] = value;
    }
    return this.post(action, sent, send);
  }

  /** Sends fields as a form does. */
  post(url: string, fields: Fields, send: Send = {}): Promise<this> {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const payload = new URLSearchParams(fields).toString();
    return this.request(
      { method: 'POST', url, payload },
      { ...send, headers: { ...headers, ...send.headers } },
    );
  }

  /** Sends the form of a button with a file, as browsers do: the fields in their order, and the file last. */
  upload(button: string, file: SentFile, send: Send = {}): Promise<this> {
    const { action, sent } = this.formOf(button);
    return this.postParts(action, [...Object.entries(sent), ['file', file]], send);
  }

  /** Sends fields and files as a form with files does. */
  async postParts(url: string, parts: readonly (readonly [string, string | SentFile])[], send: Send = {}) {
    const form = new FormData();
    for (const [field, value] of parts) {
      if (typeof value === 'string') form.append(field, value);
      else form.append(field, new Blob([Uint8Array.from(value.bytes)]), value.name);
    }
    const body = new Response(form);
    const headers = { 'content-type': body.headers.get('content-type')!, ...send.headers };
    return this.send(url, Buffer.from(await body.arrayBuffer()), { ...send, headers });
  }

  /** Sends any body. Its type is among the headers. */
  send(url: string, payload: string | Buffer, send: Send): Promise<this> {
    return this.request({ method: 'POST', url, payload }, send);
  }

  async signIn({ email }: Pick<Person, 'email'>, password = PASSWORD, send: Send = {}): Promise<this> {
    if (!this.response || !this.has('Sign in')) await this.open('/login');
    return this.press('Sign in', { Email: email, Password: password }, send);
  }

  /** The form of a button, and the fields that it sends without changes. */
  formOf(button: string): { action: string; sent: Record<string, string> } {
    const pressed = this.button(button);
    const form = pressed?.closest('form') as HTMLFormElement | null;
    if (!form) throw new Error(`Expected the button ${button}, got: ${this.text}`);
    const sent: Record<string, string> = {};
    for (const field of form.querySelectorAll('input, select, textarea')) {
      const { name, type, checked } = field as HTMLInputElement;
      const value = valueOfField(field as HTMLInputElement);
      const isLeftOut = /^(checkbox|radio)$/.test(type) && !checked;
      // A file is not a text.
      if (name && !isLeftOut && type !== 'file') sent[name] = value;
    }
    const [name, value] = [pressed!.getAttribute('name'), pressed!.getAttribute('value')];
    if (name !== null) sent[name] = value ?? '';
    return { action: form.getAttribute('action')!, sent };
  }

  has(button: string): boolean {
    return this.button(button) !== undefined;
  }

  /** The value of the field with this label. */
  valueOf(label: string): string | undefined {
    return this.input(label)?.value;
  }

  /** The text of the page, with single spaces. */
  get text(): string {
    return (this.document.body.textContent ?? '').replace(/\s+/g, ' ').trim();
  }

  /** The names of the page's navigations, which a screen reader lists. */
  get navigations(): (string | null)[] {
    return [...this.document.querySelectorAll('nav')].map((nav) => nav.getAttribute('aria-label'));
  }

  get status(): number {
    return this.response.statusCode;
  }

  get location(): string | undefined {
    return this.response.headers.location as string | undefined;
  }

  private button(text: string) {
    return [...this.document.querySelectorAll('button')].find((button) => button.textContent === text);
  }

  private input(label: string): HTMLInputElement | undefined {
    const found = [...this.document.querySelectorAll('label')].find(
      ({ textContent }) => textContent === label,
    );
    const id = found?.getAttribute('for');
    return id ? ((this.document.getElementById(id) as HTMLInputElement | null) ?? undefined) : undefined;
  }

  private async request(options: InjectOptions, { headers, ip }: Send): Promise<this> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const remoteAddress = ip ?? this.defaults.ip ?? '198.51.100.7';
    this.response = await this.app.inject({
      ...options,
      remoteAddress,
      headers: { ...(cookie && { cookie }), ...this.defaults.headers, ...headers },
    });
    for (const { name, value } of this.response.cookies) this.cookies.set(name, value);
    const isPage = /^text\/html/.test(String(this.response.headers['content-type']));
    this.document = PAGES.parseFromString(isPage ? this.response.body : '', 'text/html');
    return this;
  }
}
