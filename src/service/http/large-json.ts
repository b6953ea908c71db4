/** Takes a large field out of a JSON object that arrives in pieces. */
import { CODES, LONG_ESCAPE, readName, SHORT_ESCAPE } from '../core/json.ts';
import { entryTooLong, Lifter } from './large-field.ts';

const { QUOTE, BACKSLASH, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT } = CODES;
const LETTER_U = 0x75;

/**
 * Reads each character once. What is in the field is parsed piece by piece, and the caller parses the rest, so malformed
 * JSON fails in one of them.
 */
export class LargeJson extends Lifter {
  /** Where the next character is: outside the field, in its text or in its list. */
  #state: 'outside' | 'text' | 'list' = 'outside';
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The latest string of the outermost object, as written. */
  #name = '';
  #isFieldNext = false;
  /** What has arrived of an entry or of an escape. */
  #begun = '';
  #entries = 0;

  async add(text: string): Promise<void> {
    for (let at = 0; at < text.length; ) {
      if (this.#state === 'outside') at = this.#passOutside(text, at);
      else if (this.#state === 'list') at = await this.#readList(text, at);
      else {
        const whole = this.#begun + text.slice(at);
        const begun = this.#begun.length;
        at += (await this.#readText(whole)) - begun;
      }
    }
  }

  protected async finish(): Promise<void> {
    if (this.#state !== 'outside') throw new SyntaxError('the field does not end');
  }

  /** @returns where the field begins, or the end of the text */
  #passOutside(text: string, from: number): number {
    let nameFrom = from;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) {
          this.#isInString = false;
          if (this.#depth === 1) this.#name += text.slice(nameFrom, at + 1);
        }
        continue;
      }
      if (this.#isFieldNext && (code === QUOTE || code === OPEN_LIST)) {
        this.#isFieldNext = false;
        this.lift();
        this.#state = code === QUOTE ? 'text' : 'list';
        at += 1;
        break;
      }
      if (code === QUOTE) {
        this.#isInString = true;
        this.#name = '';
        nameFrom = at;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) this.#depth += 1;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) this.#depth -= 1;
      else if (code === COLON && this.#depth === 1) {
        this.#isFieldNext = readName(this.#name) === this.name;
        // A name has one colon. Others would read it again and again.
        this.#name = '';
        continue;
      }
      if (code > 0x20) this.#isFieldNext = false;
    }
    if (this.#isInString && this.#depth === 1 && this.#state === 'outside')
      this.#name += text.slice(nameFrom, at);
    this.keep(text.slice(from, at));
    return at;
  }

  /** @returns where the list ends, or the end of the text */
  async #readList(text: string, from: number): Promise<number> {
    let comma = -1;
    for (let at = from; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (code === BACKSLASH) this.#isEscaped = true;
        else if (code === QUOTE) this.#isInString = false;
      } else if (code === QUOTE) this.#isInString = true;
      else if (code === COMMA) comma = at;
      else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        const last = this.#begun + text.slice(from, at);
        this.#begun = '';
        this.#state = 'outside';
        // An empty list. The last entry of another one is not empty.
        if (this.#entries === 0 && last.trim() === '') await this.field.addEntries([]);
        else await this.#addEntries(last);
        this.keep(text[at]!);
        return at + 1;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        if (comma >= 0) await this.#addEntries(this.#begun + text.slice(from, comma));
        // No list and no object is a text, so the field refuses it.
        await this.field.addEntries([{}]);
      }
    }
    if (comma >= 0) {
      const whole = this.#begun + text.slice(from, comma);
      this.#begun = text.slice(comma + 1);
      await this.#addEntries(whole);
    } else this.#begun += text.slice(from);
    if (this.#begun.length > this.most) throw entryTooLong(this.name, this.most);
    return text.length;
  }

  async #addEntries(written: string): Promise<void> {
    const entries = JSON.parse(`[${written}]`) as unknown[];
    if (entries.length === 0) throw new SyntaxError('a list has an empty entry');
    this.#entries += entries.length;
    await this.field.addEntries(entries);
  }

  /** @returns where the text in quotation marks ends, or the end of what has arrived */
  async #readText(text: string): Promise<number> {
    let at = 0;
    this.#begun = '';
    let end = text.length;
    while (at < text.length) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#state = 'outside';
        this.keep('"');
        end = at + 1;
        break;
      }
      if (code !== BACKSLASH) at += 1;
      else {
        const length = text.charCodeAt(at + 1) === LETTER_U ? LONG_ESCAPE : SHORT_ESCAPE;
        if (at + length > text.length) {
          this.#begun = text.slice(at);
          break;
        }
        at += length;
      }
    }
    await this.field.addText(JSON.parse(`"${text.slice(0, at)}"`) as string);
    return end;
  }
}
