/** The forms that a signed-in person can send, as a browser finds them, with a long text in one of their fields. */
import { MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES } from '../../src/service/core/bounds.ts';
import type { HostileBody } from '../../test/service/support/hostile-bodies.ts';

export interface SignedInForm {
  readonly path: string;
  readonly cookie: string;
  readonly bodies: readonly HostileBody[];
}

/** What the readers of fields look for, and what grows when it is mapped. */
const TEXTS = ['a', '"', ',', '\n', '.', '@', 'a@b.c,', 'http://', 'ﷺ', '\u0301'];
const BOUNDARY = 'edge';
/** For the other fields of a form. */
const ROOM = 4_096;

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&');

/** @returns the cookie of the session */
async function signIn(origin: string, email: string, password: string): Promise<string> {
  const page = await fetch(`${origin}/login`);
  const cookieOf = ({ headers }: Response) => headers.getSetCookie().map((each) => each.replace(/;.*/s, ''));
  const token = attribute(/<input[^>]*name="form_token"[^>]*>/.exec(await page.text())![0], 'value')!;
  const signedIn = await fetch(`${origin}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(page).join('; ') },
    body: new URLSearchParams({ form_token: token, email, password }),
  });
  if (signedIn.status !== 303) throw new Error(`Expected to sign in, got ${signedIn.status}.`);
  return cookieOf(signedIn).join('; ');
}

/** A form's fields, with the values that it has at first. */
function fieldsOf(form: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [tag] of form.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)) {
    const name = attribute(tag, 'name');
    const type = attribute(tag, 'type') ?? '';
    if (name === undefined || type === 'file') continue;
    if (!/^(checkbox|radio)$/.test(type) || /\schecked/.test(tag))
      fields.set(name, attribute(tag, 'value') ?? '');
  }
  return fields;
}

function bodyOf(
  fields: ReadonlyMap<string, string>,
  field: string,
  text: string,
  isMultipart: boolean,
): Buffer {
  const size = (isMultipart ? MAX_BATCH_BODY_BYTES : MAX_BODY_BYTES) - ROOM;
  const length = isMultipart ? Buffer.byteLength(text) : encodeURIComponent(text).length;
  const sent = new Map(fields).set(field, text.repeat(size / length));
  if (!isMultipart) return Buffer.from(new URLSearchParams([...sent]).toString());
  const parts = [...sent].map(
    ([name, value]) => `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`);
}

/** Someone who signs in: the email address, the password, and a key of the account. */
export type BenchPerson = readonly [email: string, password: string, key: string];

/** Makes a batch and a list, so that their pages are there. The account has a key and an app already. */
async function makeObjects(origin: string, cookie: string, key: string): Promise<void> {
  const emails = 'deliverable@example.com';
  const batch = await fetch(`${origin}/v1/batch`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new URLSearchParams({ emails }),
  });
  const page = await (await fetch(`${origin}/dashboard/batches/new`, { headers: { cookie } })).text();
  const form = [...page.matchAll(/<form\b.*?<\/form>/gs)].find(([text]) => text.includes('type="file"'))![0];
  const body = new FormData();
  for (const [name, value] of fieldsOf(form)) body.set(name, value);
  const input = [...form.matchAll(/<input\b[^>]*>/g)].find(([tag]) => tag.includes('type="file"'))![0];
  body.set(attribute(input, 'name')!, new Blob([`Name,Email\nAda,${emails}\n`]), 'list.csv');
  const list = await fetch(origin + attribute(form, 'action')!, {
    method: 'POST',
    headers: { cookie },
    body,
  });
  if (!batch.ok || !list.ok)
    throw new Error(`Expected a batch and a list, got ${batch.status} and ${list.status}.`);
}

/**
 * Opens each page of the dashboard, those of objects by a link of another page.
 *
 * @param routes the patterns of all pages @returns the texts of the pages by their paths, and which pages no link led to
 */
async function openPages(origin: string, cookie: string, routes: readonly string[]) {
  const pages = new Map<string, string>();
  const patterns = new Map(
    routes
      .filter((route) => route.startsWith('/dashboard/') && route.includes(':'))
      .map((route) => [route, new RegExp(`^${route.replace(/:\w+/g, '[^/]+')}$`)]),
  );
  const open = routes.filter((route) => route.startsWith('/dashboard/') && !/[:*]/.test(route));
  for (const path of open) {
    const response = await fetch(origin + path, { headers: { cookie } });
    if (response.status >= 500) throw new Error(`Expected the page ${path}, got ${response.status}.`);
    const text = await response.text();
    pages.set(path, response.headers.get('content-type')?.startsWith('text/html') ? text : '');
    for (const [, linked = ''] of text.matchAll(/href="(\/[^"?#]*)/g))
      for (const [route, pattern] of patterns) {
        if (!pattern.test(linked) || routes.includes(linked)) continue;
        patterns.delete(route);
        open.push(linked);
      }
  }
  return { pages, missed: [...patterns.keys()] };
}

/** @param routes the patterns of all pages */
export async function signedInForms(
  origin: string,
  [email, password, key]: BenchPerson,
  routes: readonly string[],
) {
  const cookie = await signIn(origin, email, password);
  await makeObjects(origin, cookie, key);
  const { pages, missed } = await openPages(origin, cookie, routes);
  const forms = new Map<string, SignedInForm>();
  for (const [path, page] of pages) {
    for (const [form] of page.matchAll(/<form\b.*?<\/form>/gs)) {
      const [tag] = /<form[^>]*>/.exec(form)!;
      if (attribute(tag, 'method') !== 'post') continue;
      const action = attribute(tag, 'action') || path;
      const isMultipart = attribute(tag, 'enctype') === 'multipart/form-data';
      const type = isMultipart
        ? `multipart/form-data; boundary=${BOUNDARY}`
        : 'application/x-www-form-urlencoded';
      const fields = fieldsOf(form);
      const bodies = [...fields.keys()]
        .filter((field) => field !== 'form_token')
        .flatMap((field) =>
          TEXTS.map((text) => ({
            name: `${field}: ${JSON.stringify(text)}`,
            type,
            make: () => bodyOf(fields, field, text, isMultipart),
          })),
        );
      if (bodies.length > 0) forms.set(action, { path: action, cookie, bodies });
    }
  }
  return { cookie, forms: [...forms.values()], pages: [...pages.keys()], missed };
}
