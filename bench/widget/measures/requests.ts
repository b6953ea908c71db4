/** Counts the verifications for a visitor who types, corrects and goes back. */
import type { Figure } from '../../report.ts';
import { CANDIDATES, COMPARED } from '../candidates/index.ts';
import { those } from '../compare.ts';
import { type Lab, pause, type Visitor } from '../lab.ts';

/** The pauses between two keys and after a word. The second is longer than every delay. */
const KEY_MS = 20;
const THOUGHT_MS = 900;

/** The complete addresses at the moments when the visitor pauses or leaves. */
const COMPLETE = ['jo@gmial.com', 'jo@gmail.com', 'ann@example.org'];

export async function requests(lab: Lab): Promise<Figure> {
  const visitors: Visitor[] = [];
  for (const candidate of those(lab, COMPARED)) visitors.push(await lab.visitor(candidate));
  lab.site.asked.length = 0;
  // In parallel, because this counts and does not measure time.
  await Promise.all(visitors.map(session));
  for (const visitor of visitors) await visitor.close();

  const askedBy = (name: string) =>
    lab.site.asked.filter(({ by }) => by === name).map(({ address }) => address);
  const own = askedBy(CANDIDATES.widget.name);
  const list = (addresses: readonly string[]) => addresses.map((address) => `\`${address}\``).join(', ');
  return {
    title: 'Requests for a session of typing, correcting and going back',
    how: `A page has two inputs. The visitor types "jo", "@" and "gmial.com" with pauses, goes to the other input and back, and corrects the address to "gmail.com". Then the visitor enters and leaves the field again, and types the error and the correction again. In the other input, the visitor types "ann@example.org" and then "jo@gmail.com". The distinct complete addresses are ${list(COMPLETE)}.`,
    head: ['', 'requests', 'for'],
    rows: COMPARED.map(({ title, name }) => [
      title,
      String(askedBy(name).length),
      list(askedBy(name)) || 'nothing',
    ]),
    targets: [
      {
        text: `the ${COMPLETE.length} distinct complete addresses, not one more`,
        found: String(own.length),
        isMet: [...own].sort().join() === [...COMPLETE].sort().join(),
        because: `it sent ${list(own) || 'nothing'}`,
      },
    ],
    notes: ['mailcheck sends no requests. It compares with a list.'],
  };
}

async function session(visitor: Visitor): Promise<void> {
  const think = () => pause(THOUGHT_MS);
  const type = async (text: string) => {
    await visitor.type(text, KEY_MS);
    await think();
  };
  const erase = async (count: number) => {
    for (let key = 0; key < count; key += 1) await visitor.tab.press('Backspace');
  };
  const toEnd = (input: number) =>
    visitor.tab.evaluate((index) => {
      const { value } = document.querySelectorAll('input')[index]!;
      const element = document.querySelectorAll('input')[index]!;
      element.focus();
      // The selection of an email input cannot be set, so its type changes for a moment.
      element.type = 'text';
      element.setSelectionRange(value.length, value.length);
      element.type = 'email';
    }, input);

  await visitor.load(2);
  await visitor.focus(0);
  await type('jo');
  await type('@');
  await type('gmial.com');
  await visitor.focus(1);
  await think();
  await toEnd(0);
  await erase('ial.com'.length);
  await type('ail.com');
  // Enters and leaves the field without a change.
  await visitor.focus(1);
  await think();
  await toEnd(0);
  await think();
  // Types the old error again, and corrects it again.
  await erase('ail.com'.length);
  await type('ial.com');
  await erase('ial.com'.length);
  await type('ail.com');
  await visitor.focus(1);
  await type('ann@example.org');
  await erase('ann@example.org'.length);
  await type('jo@gmail.com');
  await visitor.focus(0);
  await think();
}
