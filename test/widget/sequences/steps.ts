/** What may happen in a sequence: each step with the words that a script of it has. */
import fc from 'fast-check';
import type { GivenOptions } from '../../../src/widget/index.ts';
import { BREAKAGES, type BreakageName } from './breakages.ts';
import { LAYOUTS, type LayoutName } from './layouts.ts';
import { ANSWERS, type AnswerName } from './service.ts';
import { canBeUsed, type Habits, isUsable, type Stage } from './stage.ts';

export interface Step {
  readonly says: string;
  /** @returns `false` where there was nothing to be done, else, if it likes, what the script is to say of it */
  run(stage: Stage): unknown;
}

/** A page, and what the widget is given. */
export interface Opening {
  readonly layout: LayoutName;
  readonly options: GivenOptions;
  readonly habits: Habits;
  /** Whether the page's `fetch` takes notice of an abort. */
  readonly heedsAborts: boolean;
}

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const step = (says: string, run: (stage: Stage) => unknown): Step => ({ says, run });

const JOE = 'joe@shop.example';

const texts = oneOf(
  JOE,
  'ann@shop.example',
  'joe@SHOP.example',
  ` ${JOE} `,
  'jörg@shop.example',
  'joe',
  'joe@localhost',
  '',
);
const inputNames = oneOf('A', 'A', 'B');
const buttonNames = oneOf('Send', 'Send', 'Send', 'Copy', 'Save', 'Plain', 'Reset');
const formNames = oneOf('form', 'form', 'other');

/** On an input of this name, if there is one that a visitor can use. */
const onInput = (name: string, act: (input: HTMLInputElement, stage: Stage) => unknown) => (stage: Stage) => {
  const input = stage.input(name);
  return input && isUsable(input) ? act(input, stage) : false;
};

const onAny =
  <T>(find: (stage: Stage) => T | undefined, act: (found: T, stage: Stage) => unknown) =>
  (stage: Stage) => {
    const found = find(stage);
    return found ? act(found, stage) : false;
  };

const visitor: [number, fc.Arbitrary<Step>][] = [
  [
    8,
    fc.tuple(inputNames, texts).map(([name, text]) =>
      step(
        `type "${text}" into ${name}`,
        onInput(name, (input, stage) => stage.type(input, text)),
      ),
    ),
  ],
  [
    3,
    fc
      .tuple(inputNames, oneOf<AnswerName>('deliverable', 'deliverable', 'free', 'undeliverable'))
      .map(([name, answer]) =>
        step(
          `fill ${name} in with "${JOE}", and go on; answer: ${answer}`,
          onInput(name, (input, stage) => stage.fillIn(input, JOE, answer)),
        ),
      ),
  ],
  [
    2,
    fc.tuple(inputNames, oneOf('Send', 'Send', 'Copy'), texts).map(([name, buttonName, text]) =>
      step(
        `type "${text}" into ${name} and press ${buttonName}`,
        onInput(name, (input, stage) => {
          const button = stage.button(buttonName);
          if (!button || !canBeUsed(button)) return false;
          stage.type(input, text);
          return stage.press(button, true);
        }),
      ),
    ),
  ],
  [
    1,
    inputNames.map((name) =>
      step(
        `type "${JOE}" into ${name}, key by key`,
        onInput(name, async (input, stage) => {
          for (let length = 1; length <= JOE.length; length += 5) {
            stage.rules.acted();
            stage.type(input, JOE.slice(0, length));
            await stage.clock.pass(80);
          }
        }),
      ),
    ),
  ],
  [
    2,
    inputNames.map((name) =>
      step(
        `go to ${name}`,
        onInput(name, (input, stage) => stage.focus(input)),
      ),
    ),
  ],
  [3, fc.constant(step('leave', (stage) => stage.focus(null)))],
  [
    3,
    inputNames.map((name) =>
      step(
        `press Enter in ${name}`,
        onInput(name, (input, stage) => stage.pressEnter(input)),
      ),
    ),
  ],
  [
    6,
    buttonNames.map((name) =>
      step(
        `press ${name}`,
        onAny(
          (stage) => stage.button(name),
          (button, stage) => canBeUsed(button) && stage.press(button, true),
        ),
      ),
    ),
  ],
  [
    1,
    inputNames.map((name) =>
      step(
        `take the suggestion for ${name}`,
        onInput(name, (input, stage) => stage.takeSuggestion(input)),
      ),
    ),
  ],
];

const page: [number, fc.Arbitrary<Step>][] = [
  [
    3,
    fc.tuple(inputNames, texts).map(([name, text]) =>
      step(
        `a script puts "${text}" into ${name}`,
        onAny(
          (stage) => stage.input(name),
          (input, stage) => stage.setValue(input, text),
        ),
      ),
    ),
  ],
  [
    1,
    buttonNames.map((name) =>
      step(
        `a script clicks ${name}`,
        onAny(
          (stage) => stage.button(name),
          (button, stage) => (button.disabled ? false : stage.press(button, false)),
        ),
      ),
    ),
  ],
  [
    2,
    fc.tuple(formNames, oneOf(undefined, 'Send', 'Copy')).map(([formName, buttonName]) =>
      step(
        `a script submits ${formName}${buttonName ? ` by ${buttonName}` : ''}`,
        onAny(
          (stage) => stage.form(formName),
          (form, stage) => {
            const button = buttonName === undefined ? null : stage.button(buttonName);
            return button === undefined || (button && button.form !== form)
              ? false
              : stage.requestSubmit(form, button);
          },
        ),
      ),
    ),
  ],
  [
    1,
    fc.tuple(formNames, oneOf('checkValidity' as const, 'reportValidity' as const)).map(([name, method]) =>
      step(
        `a script calls ${name}.${method}()`,
        onAny(
          (stage) => stage.form(name),
          (form, stage) => void stage.browser[method](form),
        ),
      ),
    ),
  ],
  [
    1,
    formNames.map((name) =>
      step(
        `a script resets ${name}`,
        onAny(
          (stage) => stage.form(name),
          (form, stage) => stage.reset(form),
        ),
      ),
    ),
  ],
  [
    2,
    fc
      .tuple(oneOf('A', 'B', 'Send'), oneOf('disabled', 'readonly', 'hidden', 'inert'))
      .map(([name, attribute]) =>
        step(
          `a script toggles ${attribute} of ${name}`,
          onAny(
            (stage) => stage.input(name),
            (element, stage) => stage.toggle(element, attribute),
          ),
        ),
      ),
  ],
  [
    1,
    fc.tuple(oneOf('A', 'B', 'Send', 'form'), oneOf('inert', 'visibility')).map(([name, what]) =>
      step(
        `a script toggles ${what} of ${name}`,
        onAny(
          (stage) => stage.input(name),
          (element, stage) =>
            what === 'inert' ? stage.toggle(element, what) : stage.toggleVisibility(element),
        ),
      ),
    ),
  ],
  [
    3,
    fc
      .tuple(
        oneOf('A', 'A', 'A', 'B', 'form', 'form'),
        oneOf<['allow' | 'messages', string | null]>(
          ['allow', '{"states":["deliverable"]}'],
          ['allow', '{"states":["risky"]}'],
          ['allow', '{"states":["risky"]}'],
          ['allow', '{"states":[]}'],
          ['allow', '{"states":[]}'],
          ['allow', '{"free":false}'],
          ['allow', '{"free":"warn"}'],
          ['allow', '{"disposable":true}'],
          ['allow', null],
          ['messages', '{"invalid":"OF THE OVERRIDE"}'],
          ['messages', null],
        ),
      )
      .map(([name, [option, json]]) =>
        step(
          json === null
            ? `a script takes data-email-verify-${option} from ${name}`
            : `a script sets data-email-verify-${option}='${json}' on ${name}`,
          onAny(
            (stage) => stage.input(name),
            (element, stage) => stage.override(element, option, json),
          ),
        ),
      ),
  ],
  [
    1,
    formNames.map((name) =>
      step(
        `a script sets novalidate of ${name}`,
        onAny(
          (stage) => stage.form(name),
          (form, stage) => stage.setNovalidate(form),
        ),
      ),
    ),
  ],
  [
    2,
    oneOf('A', 'A', 'B', 'Send', 'form').map((name) =>
      step(`a script takes ${name} out, or puts it back`, (stage) => stage.move(name)),
    ),
  ],
  [
    1,
    oneOf('A', 'B', 'Send').map((name) =>
      step(`a script renders ${name} anew`, (stage) => stage.renew(name)),
    ),
  ],
  [1, fc.constant(step('a script adds input B as a copy of A', (stage) => stage.copyRow()))],
  [
    1,
    inputNames.map((name) =>
      step(`a script puts a copy of ${name} in its place`, (stage) => stage.restore(name)),
    ),
  ],
  [
    1,
    oneOf(...(Object.keys(BREAKAGES) as BreakageName[])).map((name) =>
      step(`the page breaks ${name}, or mends it`, (stage) => stage.breakOrMend(name)),
    ),
  ],
  [
    1,
    fc.tuple(inputNames, oneOf('OF THE PAGE', '')).map(([name, message]) =>
      step(
        `a script calls ${name}.setCustomValidity("${message}")`,
        onAny(
          (stage) => stage.input(name),
          (input, stage) => (input.willValidate ? stage.setValidity(input, message) : false),
        ),
      ),
    ),
  ],
  [
    1,
    oneOf<[string, GivenOptions]>(
      ['allow: { free: false }', { allow: { free: false } }],
      ["allow: { free: 'warn' }", { allow: { free: 'warn' } }],
      ["allow: { states: ['deliverable'] }", { allow: { states: ['deliverable'] } }],
      ['allow: {}', { allow: {} }],
      ['blockOnRateLimit: true', { blockOnRateLimit: true }],
      ['blockOnRateLimit: false', { blockOnRateLimit: false }],
      ['formValidation: true', { formValidation: true }],
      ['formValidation: false', { formValidation: false }],
      ["verifyOn: 'input'", { verifyOn: 'input' }],
      ["verifyOn: 'submit'", { verifyOn: 'submit' }],
      ['verifyAfterDelay: 100', { verifyAfterDelay: 100 }],
      ["statusAppendTo: '#place'", { statusAppendTo: '#place' }],
    ).map(([text, options]) =>
      step(`set { ${text} }`, (stage) => (stage.isRunning ? stage.set(options) : false)),
    ),
  ],
  [
    1,
    inputNames.map((name) =>
      step(
        `verify(${name})`,
        onInput(name, (input, stage) => stage.verify(input)),
      ),
    ),
  ],
  [1, fc.constant(step('the page is left (pagehide)', (stage) => stage.leave()))],
  [1, fc.constant(step('the page is shown (pageshow)', (stage) => stage.comeBack()))],
  [1, fc.constant(step('destroy', (stage) => stage.destroy()))],
  [2, fc.constant(step('install', (stage) => stage.start()))],
];

const answerNames = Object.keys(ANSWERS) as AnswerName[];

/** Neither visitor nor page does anything. */
const meanwhile: [number, fc.Arbitrary<Step>][] = [
  [
    10,
    oneOf(0, 1, 100, 300, 1000, 1000, 6000, 12_000).map((ms) =>
      step(`pass ${ms} ms`, (stage) => stage.clock.pass(ms)),
    ),
  ],
  [1, fc.constant(step('a day goes by', (stage) => stage.sleep(86_400_000)))],
  [
    12,
    fc
      .tuple(fc.nat(2), oneOf(...answerNames, 'deliverable' as const, 'undeliverable' as const))
      .map(([at, name]) =>
        step(`answer: ${name}`, (stage) => {
          const email = stage.answer(at, name);
          return email === undefined ? false : `answer for ${email}: ${name}`;
        }),
      ),
  ],
  [
    4,
    oneOf<AnswerName>('try again (249)', 'try again (249)', 'deliverable', 'rate limit exceeded (429)').map(
      (name) =>
        step(`from now on, every answer is: ${name}`, (stage) => {
          stage.service.mood = name;
        }),
    ),
  ],
];

const weighted = (steps: [number, fc.Arbitrary<Step>][]) =>
  steps.map(([weight, arbitrary]) => ({ weight, arbitrary }));

export const aStep: fc.Arbitrary<Step> = fc.oneof(
  ...weighted(meanwhile),
  ...weighted(visitor),
  ...weighted(page),
);

export const isMeanwhile = ({ says }: Step) => /^(pass|a day|answer|from now)/.test(says);

/** Rarely anything but the default: a failure shrinks to what matters. */
const rarely = <T>(value: T, ...others: T[]) => oneOf(value, value, value, value, ...others);

export const anOpening: fc.Arbitrary<Opening> = fc.record({
  layout: oneOf(...(Object.keys(LAYOUTS) as LayoutName[])),
  options: fc.record({
    verifyOn: rarely<'input' | 'blur' | 'submit'>('input', 'blur', 'submit'),
    formValidation: rarely(true, false),
    blockOnRateLimit: rarely(false, true),
    statusAppendTo: rarely('body', '#place'),
    resultField: rarely('', 'result'),
    proofField: oneOf('', 'proof'),
    method: rarely<'GET' | 'POST'>('GET', 'POST'),
    verificationTimeout: rarely(5, 20),
  }),
  habits: fc.record({
    disables: rarely<Habits['disables']>('never', 'when it submits', 'once it is pressed'),
    submits: rarely<Habits['submits']>(
      'as the browser does',
      'at once',
      'at once, naming no button',
      'after a question',
    ),
  }),
  heedsAborts: rarely(true, false),
});
