/** Takes a large field out of a form that arrives in pieces. */
import { MAX_PAIRS } from '../core/bounds.ts';
import { decode, endOfPart, LONGEST_ESCAPE } from './form-body.ts';
import { Lifter } from './large-field.ts';
import { tooManyFields } from './parameters.ts';

export class LargeForm extends Lifter {
  /** What the next character belongs to. */
  #state: 'name' | 'field' | 'value' = 'name';
  /** What has arrived of a name or of an escape. */
  #begun = '';
  /** How many there are so far, also empty ones. */
  #pairs = 1;

  async add(text: string): Promise<void> {
    let rest = this.#begun + text;
    this.#begun = '';
    while (rest !== '') rest = rest.slice(await this.#read(rest));
  }

  protected async finish(): Promise<void> {
    if (this.#state === 'field') await this.field.addText(decode(this.#begun));
    else this.keep(this.#begun);
  }

  /** @returns how much of the text it has read. The end of the text may wait for more */
  async #read(text: string): Promise<number> {
    const end = text.search(this.#state === 'name' ? /[=&]/ : /&/);
    if (end < 0) {
      const read = this.#state === 'field' ? endOfPart(text, Math.max(0, text.length - KEPT)) : text.length;
      if (this.#state === 'field') await this.field.addText(decode(text.slice(0, read)));
      // A longer name is another one, so it needs no second look.
      else if (this.#state === 'name' && text.length > LONGEST_BYTE * this.name.length) this.#state = 'value';
      if (this.#state === 'value') this.keep(text);
      this.#begun = this.#state === 'name' ? text : text.slice(read);
      return text.length;
    }
    if (this.#state === 'field') await this.field.addText(decode(text.slice(0, end)));
    // The rest keeps the name of the field, without its value.
    this.keep(this.#state === 'field' ? '&' : text.slice(0, end + 1));
    if (text[end] === '&') {
      // Each is kept on its own, so there must not be megabytes of them before the rest is parsed.
      this.#pairs += 1;
      if (this.#pairs > MAX_PAIRS) throw tooManyFields(MAX_PAIRS);
      this.#state = 'name';
    } else if (decode(text.slice(0, end)) === this.name) {
      this.lift();
      this.#state = 'field';
    } else this.#state = 'value';
    return end + 1;
  }
}

/** A byte may be an escape. */
const LONGEST_BYTE = '%41'.length;
/** How much of a value waits for the next piece, which may continue its last character. */
const KEPT = 2 * LONGEST_ESCAPE;
