/** A person with a browser without scripts, which keeps cookies, and fills in the forms of the pages. */
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { type HTMLDocument, Window } from 'happy-dom';
import { sql } from 'kysely';
import type { Db } from '../../../src/service/database/schema.ts';
import { hashPassword } from '../../../src/service/people/accounts/password-hash.ts';
import { setMember } from '../../../src/service/people/members/member-store.ts';
import type { Role } from '../../../src/service/people/members/roles.ts';
import { createPerson, setPersonPassword } from '../../../src/service/people/persons/person-store.ts';
import { CHEAP_PASSWORDS, makeAccount, ownerOf } from './account.ts';
import { buttonOf, fieldOf, navigationsOf, textOf } from './read-page.ts';

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

let addresses = 0;
/** An address that nobody has. */
export function newAddress(): string {
  addresses += 1;
  return `new-${process.pid}-${addresses}@example.com`;
}

/** The person as one who manages the members of the account. */
export const managerOf = ({ id: accountId, personId, email }: Person) => ({
  ...{ accountId, personId, actor: { kind: 'owner', name: email } as const },
});

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
  /** The latest one. */
  response!: LightMyRequestResponse;
  private page: HTMLDocument | undefined;

  constructor(
    readonly app: Reachable,
    private readonly defaults: Send = {},
  ) {}

  /** The page of the latest response. To parse it takes longer than to serve it, so most tests read its HTML. */
  get document(): HTMLDocument {
    this.page ??= PAGES.parseFromString(this.html, 'text/html');
    return this.page;
  }

  /** That of the latest response, if it is a page. */
  private get html(): string {
    return /^text\/html/.test(String(this.response.headers['content-type'])) ? this.response.body : '';
  }

  /** Another one with the same cookies, at the same process or another one. */
  copy(app = this.app): Visitor {
    const copy = new Visitor(app);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

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

  /** Where the links that match lead. */
  links(selector: string): (string | null)[] {
    return Array.from(this.document.querySelectorAll(selector), (link) => link.getAttribute('href'));
  }

  /** Opens the first link that matches, and has this text if one is given. */
  openLink(selector: string, text?: string): Promise<this> {
    const found = [...this.document.querySelectorAll(selector)];
    const link = found.find(({ textContent }) => text === undefined || textContent === text);
    if (!link) throw new Error(`Expected a link ${selector} ${text}, got: ${this.text}`);
    return this.open(link.getAttribute('href')!);
  }

  /** Fills in the form that has this button, and presses it. `null` removes a field. */
  press(
    button: string,
    fields: Readonly<Record<string, string | null>> = {},
    send: Send = {},
  ): Promise<this> {
    const { action, sent } = this.formOf(button);
    for (const [label, value] of Object.entries(fields)) {
      const field = fieldOf(this.html, label)?.name ?? label;
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
    const pressed = buttonOf(this.html, button);
    if (!pressed?.form) throw new Error(`Expected the button ${button}, got: ${this.text}`);
    const sent: Record<string, string> = {};
    for (const { name, type, value, isChecked } of pressed.form.fields) {
      const isLeftOut = /^(checkbox|radio)$/.test(type) && !isChecked;
      // A file is not a text.
      if (name && !isLeftOut && type !== 'file') sent[name] = value;
    }
    if (pressed.name !== undefined) sent[pressed.name] = pressed.value ?? '';
    return { action: pressed.form.action, sent };
  }

  has(button: string): boolean {
    return buttonOf(this.html, button) !== undefined;
  }

  /** The value of the field with this label. */
  valueOf(label: string): string | undefined {
    return fieldOf(this.html, label)?.value;
  }

  /** The text of the page, with single spaces. */
  get text(): string {
    return textOf(this.html);
  }

  /** The names of the page's navigations, which a screen reader lists. */
  get navigations(): (string | null)[] {
    return navigationsOf(this.html);
  }

  get status(): number {
    return this.response.statusCode;
  }

  get location(): string | undefined {
    return this.response.headers.location as string | undefined;
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
    this.page = undefined;
    return this;
  }
}

/** A new account, whose owner has signed in. */
export async function arrive({ app }: { readonly app: Reachable }, db: Db, credits = 0) {
  const person = await makePerson(db, credits);
  return { person, visitor: await new Visitor(app).signIn(person) };
}

export const isSignedIn = async (visitor: Visitor) =>
  (await visitor.open('/dashboard/security')).has('Sign out');

/** As if the sign-in were so long ago that the person must confirm who they are. */
export const letAnHourPass = (db: Db, { personId }: Pick<Person, 'personId'>) =>
  sql`
    update sessions set authenticated_at = clock_timestamp() - interval '1 hour' where person_id = ${personId}
  `.execute(db);
