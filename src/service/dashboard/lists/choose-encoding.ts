/** The encodings of a list whose own one is a guess, and the choice of another one, which reads its file again. */
import type { Db } from '../../database/schema.ts';
import { insertDrafts, type List, NoDraftError, readFileOf } from '../../lists/list-store.ts';
import { ListFault } from '../../lists/reading/list-fault.ts';
import type { Reader } from '../../lists/reading/list-reader.ts';
import { type Html, html } from '../../pages/html.ts';
import { formToken } from '../../people/sessions/page-forms.ts';
import type { Visit } from '../visit.ts';

/** What each encoding is for. */
const LABELS: Readonly<Record<string, string>> = {
  'windows-1252': 'Western European',
  'windows-1250': 'Central European',
  'windows-1251': 'Cyrillic',
  'windows-1253': 'Greek',
  'windows-1254': 'Turkish',
  'windows-1255': 'Hebrew',
  'windows-1256': 'Arabic',
  'windows-1257': 'Baltic',
  'windows-1258': 'Vietnamese',
  'windows-874': 'Thai',
  'ISO-8859-2': 'Central European, ISO',
  'ISO-8859-5': 'Cyrillic, ISO',
  'ISO-8859-15': 'Western European, ISO',
  macintosh: 'Western European, old Mac',
  CP437: 'DOS, United States',
  CP850: 'DOS, Western European',
  CP852: 'DOS, Central European',
  CP866: 'DOS, Cyrillic',
  'KOI8-R': 'Russian, Unix',
  Shift_JIS: 'Japanese',
  'EUC-JP': 'Japanese, Unix',
  GB18030: 'Simplified Chinese',
  Big5: 'Traditional Chinese',
  'EUC-KR': 'Korean',
};

/** The choice, with three rows as each encoding reads them. Undefined if the encoding is certain. */
export function encodingChoice({ request, site }: Visit, { id, findings }: List): Html | undefined {
  const { encodings = [] } = findings;
  const [current] = encodings;
  if (!current) return undefined;
  return html`<details class="box" id="encodings"><summary>Letters look wrong? Choose another encoding</summary>
<form class="stack" method="post" action="${site.link(`/dashboard/lists/${id}/encoding`)}">
${formToken(request)}
<p>The file does not say how its letters are encoded, so ${current.codec} is a guess. Choose the encoding in which these rows are right. The list is then read again.</p>
<fieldset><legend>Encoding</legend>${encodings.map(({ codec, rows }, index) => {
    const field = `encoding-${index}`;
    const label = LABELS[codec] ?? codec;
    return html`<p class="choice"><input type="radio" id="${field}" name="encoding" value="${codec}"${codec === current.codec && html` checked`} aria-describedby="${field}-rows"><span><label for="${field}">${label}${label !== codec && ` (${codec})`}</label> <span class="note" id="${field}-rows">${rows.map((row, at) => html`${at > 0 && html`<br>`}<bdi>${row}</bdi>`)}</span></span></p>`;
  })}</fieldset>
<p class="row"><button>Read the list again</button></p>
</form>
</details>`;
}

export type ReadAgain =
  | { readonly kind: 'read'; readonly id: string }
  /** Too many lists are being read already. */
  | { readonly kind: 'busy' }
  /** It was started or deleted meanwhile, or its file is not kept. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'refused'; readonly fault: string };

/** Reads the file of a draft in another encoding. The new draft replaces the old one in the transaction that stores it. */
export async function readAgain(
  { db, reader }: { readonly db: Db; readonly reader: Reader },
  accountId: string,
  list: List,
  codec: string,
): Promise<ReadAgain> {
  const { encodings = [], form } = list.findings;
  if (!encodings.some((encoding) => encoding.codec === codec)) return { kind: 'gone' };
  const reading = reader.open(accountId);
  if (!reading) return { kind: 'busy' };
  try {
    let isKept = false;
    for await (const bytes of readFileOf(db, list.id)) {
      isKept = true;
      await reading.add(bytes);
    }
    if (!isKept) return { kind: 'gone' };
    const facts = await reading.read(fileNameOf(form), codec);
    const { name, made_by: madeBy } = list;
    // The end of the first draft stays.
    const drafts = { accountId, madeBy, name, facts, keptSeconds: 0, replaces: list };
    return { kind: 'read', id: await insertDrafts(db, drafts, reading.portions()) };
  } catch (error) {
    if (error instanceof NoDraftError) return { kind: 'gone' };
    if (error instanceof ListFault) return { kind: 'refused', fault: error.message };
    throw error;
  } finally {
    await reading.close();
  }
}

/** A name that makes the reader read the file as it did before. */
function fileNameOf(form: List['findings']['form']): string {
  // Plain lists that were stored before they had a form have none.
  if (!form || form.isPlain) return 'list.txt';
  return form.style.separator === '\t' ? 'list.tsv' : 'list.csv';
}
