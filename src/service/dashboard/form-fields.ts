/** Fields of the dashboard's forms, with their labels, hints and faults. */
import { type Html, html } from '../pages/html.ts';

/** The longest address (RFC 5321, section 4.5.3.1). */
export const LONGEST_ADDRESS = 254;

/** The values of a form by the names of its fields, as it was sent or as it is shown. */
export type Fields = ReadonlyMap<string, string>;

/** Why a form was not accepted. The page shows it once, at the top, and the field refers to it. */
export interface Fault {
  /** The name of the field. */
  readonly field: string;
  readonly message: string;
}

/** A form that was not accepted. */
export interface Sent {
  readonly typed: Fields;
  readonly fault: Fault;
}

interface Described {
  readonly name: string;
  readonly hint?: string | Html | undefined;
  readonly fault?: Fault | undefined;
}

interface Labelled extends Described {
  readonly label: string;
}

interface TextField extends Labelled {
  readonly value: string;
  /** @default 'text' */
  readonly type?: string;
  readonly isRequired?: boolean;
  readonly maxLength?: number;
}

const hintId = (name: string) => `hint-${name}`;

/** The attributes that link a field to its hint and its fault. */
function describe({ name, hint, fault }: Described): Html {
  const isWrong = fault?.field === name;
  const ids = [...(isWrong ? ['problem'] : []), ...(hint === undefined ? [] : [hintId(name)])];
  return html`${ids.length > 0 && html` aria-describedby="${ids.join(' ')}"`}${isWrong && html` aria-invalid="true" autofocus`}`;
}

const hintOf = ({ name, hint }: Described): Html | false =>
  hint !== undefined && html`<span class="note" id="${hintId(name)}">${hint}</span>`;

export function textField(field: TextField): Html {
  const { label, name, value, type = 'text', isRequired = false, maxLength = 200 } = field;
  return html`<p class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" maxlength="${maxLength}" autocomplete="off"${isRequired && html` required`}${describe(field)}>
${hintOf(field)}</p>`;
}

/** A field of several lines. Browsers drop a line break right after the tag, so an extra one is written. */
export function linesField(field: Labelled & { readonly value: string }): Html {
  const { label, name, value } = field;
  return html`<p class="field"><label for="${name}">${label}</label>
<textarea id="${name}" name="${name}" rows="4" spellcheck="false" autocapitalize="none" autocomplete="off"${describe(field)}>
${value}</textarea>
${hintOf(field)}</p>`;
}

/** The options of a `<select>`. */
export const optionsOf = (choices: readonly (readonly [string, string])[], chosen = ''): Html[] =>
  choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  );

export type Choices = readonly (readonly [value: string, words: string | Html])[];

export function selectField(
  field: Labelled & { readonly value: string; readonly choices: readonly (readonly [string, string])[] },
): Html {
  const { label, name, value, choices } = field;
  return html`<p class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}"${describe(field)}>${optionsOf(choices, value)}</select>
${hintOf(field)}</p>`;
}

export function radioField(
  field: Described & { readonly legend: string; readonly value: string; readonly choices: Choices },
): Html {
  const { legend, name, value, choices } = field;
  const radios = choices.map(
    ([choice, words]) =>
      html`<label class="choice" for="${name}-${choice}"><input type="radio" id="${name}-${choice}" name="${name}" value="${choice}"${choice === value && html` checked`}>
<span>${words}</span></label>`,
  );
  return html`<fieldset${describe(field)}><legend>${legend}</legend>${radios}</fieldset>`;
}

export function checkField(field: Labelled & { readonly isChecked: boolean }): Html {
  const { label, name, isChecked } = field;
  return html`<p class="field"><label class="choice" for="${name}"><input type="checkbox" id="${name}" name="${name}" value="yes"${isChecked && html` checked`}${describe(field)}>
<span>${label}</span></label>
${hintOf(field)}</p>`;
}
