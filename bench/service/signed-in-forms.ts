/** The forms that a signed-in person can send, as a browser finds them, with a long text in one of their fields. */
import { MAX_BATCH_BODY_BYTES, MAX_BODY_BYTES } from '../../src/service/core/bounds.ts';
import type { HostileBody } from '../../test/service/support/hostile-bodies.ts';

export interface SignedInForm {
  readonly path: string;
  readonly cookie: string;
  readonly bodies: readonly HostileBody[];
}

const PAGES = ['verify', 'keys/new', 'apps/new', 'batches/new', 'settings', 'settings/address'];
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

/** @param person the email address and the password */
export async function signedInForms(
  origin: string,
  [email, password]: readonly [string, string],
): Promise<SignedInForm[]> {
  const cookie = await signIn(origin, email, password);
  const forms = new Map<string, SignedInForm>();
  for (const page of PAGES) {
    const path = `/dashboard/${page}`;
    const response = await fetch(origin + path, { headers: { cookie } });
    if (response.status !== 200) throw new Error(`Expected the page ${path}, got ${response.status}.`);
    for (const [form] of (await response.text()).matchAll(/<form\b.*?<\/form>/gs)) {
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
  return [...forms.values()];
}
