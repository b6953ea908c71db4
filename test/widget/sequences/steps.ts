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

interface Weighted {
  readonly weight: number;
  readonly arbitrary: fc.Arbitrary<Step>;
}

/** A kind of step: how often it comes, what it is about, and the step. */
const often = <T>(weight: number, about: fc.Arbitrary<T>, make: (about: T) => Step): Weighted => ({
  weight,
  arbitrary: about.map(make),
});
const always = (weight: number, says: string, run: (stage: Stage) => unknown): Weighted =>
  often(weight, fc.constant(says), () => step(says, run));

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

/** With what is found, if anything is. */
const onFound = <T>(
  find: (stage: Stage) => T | undefined,
  says: string,
  act: (found: T, stage: Stage) => unknown,
) =>
  step(says, (stage) => {
    const found = find(stage);
    return found ? act(found, stage) : false;
  });

type OnInput = (input: HTMLInputElement, stage: Stage) => unknown;

const onInput = (name: string, says: string, act: OnInput) =>
  onFound((stage) => stage.input(name), says, act);

const onButton = (name: string, says: string, act: (button: HTMLButtonElement, stage: Stage) => unknown) =>
  onFound((stage) => stage.button(name), says, act);

const onForm = (name: string, says: string, act: (form: HTMLFormElement, stage: Stage) => unknown) =>
  onFound((stage) => stage.form(name), says, act);

/** On an input that a visitor can use. */
const byHand = (name: string, says: string, act: OnInput) =>
  onInput(name, says, (input, stage) => (isUsable(input) ? act(input, stage) : false));

const visitor: Weighted[] = [
  often(8, fc.tuple(inputNames, texts), ([name, text]) =>
    byHand(name, `type "${text}" into ${name}`, (input, stage) => stage.type(input, text)),
  ),
  often(
    3,
    fc.tuple(inputNames, oneOf<AnswerName>('deliverable', 'deliverable', 'free', 'undeliverable')),
    ([name, answer]) =>
      byHand(name, `fill ${name} in with "${JOE}", and go on; answer: ${answer}`, (input, stage) =>
        stage.fillIn(input, JOE, answer),
      ),
  ),
  often(2, fc.tuple(inputNames, oneOf('Send', 'Send', 'Copy'), texts), ([name, buttonName, text]) =>
    byHand(name, `type "${text}" into ${name} and press ${buttonName}`, (input, stage) => {
      const button = stage.button(buttonName);
      if (!button || !canBeUsed(button)) return false;
      stage.type(input, text);
      return stage.press(button, true);
    }),
  ),
  often(1, inputNames, (name) =>
    byHand(name, `type "${JOE}" into ${name}, key by key`, async (input, stage) => {
      for (let length = 1; length <= JOE.length; length += 5) {
        stage.rules.acted();
        stage.type(input, JOE.slice(0, length));
        await stage.clock.pass(80);
      }
    }),
  ),
  often(2, inputNames, (name) => byHand(name, `go to ${name}`, (input, stage) => stage.focus(input))),
  always(3, 'leave', (stage) => stage.focus(null)),
  often(3, inputNames, (name) =>
    byHand(name, `press Enter in ${name}`, (input, stage) => stage.pressEnter(input)),
  ),
  often(6, buttonNames, (name) =>
    onButton(name, `press ${name}`, (button, stage) => canBeUsed(button) && stage.press(button, true)),
  ),
  often(1, inputNames, (name) =>
    byHand(name, `take the suggestion for ${name}`, (input, stage) => stage.takeSuggestion(input)),
  ),
];

const page: Weighted[] = [
  often(3, fc.tuple(inputNames, texts), ([name, text]) =>
    onInput(name, `a script puts "${text}" into ${name}`, (input, stage) => stage.setValue(input, text)),
  ),
  often(1, buttonNames, (name) =>
    onButton(name, `a script clicks ${name}`, (button, stage) =>
      button.disabled ? false : stage.press(button, false),
    ),
  ),
  often(2, fc.tuple(formNames, oneOf(undefined, 'Send', 'Copy')), ([formName, buttonName]) =>
    onForm(
      formName,
      `a script submits ${formName}${buttonName ? ` by ${buttonName}` : ''}`,
      (form, stage) => {
        const button = buttonName === undefined ? null : stage.button(buttonName);
        return button === undefined || (button && button.form !== form)
          ? false
          : stage.requestSubmit(form, button);
      },
    ),
  ),
  often(
    1,
    fc.tuple(formNames, oneOf('checkValidity' as const, 'reportValidity' as const)),
    ([name, method]) =>
      onForm(name, `a script calls ${name}.${method}()`, (form, stage) => void stage.browser[method](form)),
  ),
  often(1, formNames, (name) => onForm(name, `a script resets ${name}`, (form, stage) => stage.reset(form))),
  often(
    2,
    fc.tuple(oneOf('A', 'B', 'Send'), oneOf('disabled', 'readonly', 'hidden', 'inert')),
    ([name, attribute]) =>
      onInput(name, `a script toggles ${attribute} of ${name}`, (element, stage) =>
        stage.toggle(element, attribute),
      ),
  ),
  often(1, fc.tuple(oneOf('A', 'B', 'Send', 'form'), oneOf('inert', 'visibility')), ([name, what]) =>
    onInput(name, `a script toggles ${what} of ${name}`, (element, stage) =>
      what === 'inert' ? stage.toggle(element, what) : stage.toggleVisibility(element),
    ),
  ),
  often(
    3,
    fc.tuple(
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
    ),
    ([name, [option, json]]) =>
      onInput(
        name,
        json === null
          ? `a script takes data-email-verify-${option} from ${name}`
          : `a script sets data-email-verify-${option}='${json}' on ${name}`,
        (element, stage) => stage.override(element, option, json),
      ),
  ),
  often(1, formNames, (name) =>
    onForm(name, `a script sets novalidate of ${name}`, (form, stage) => stage.setNovalidate(form)),
  ),
  often(2, oneOf('A', 'A', 'B', 'Send', 'form'), (name) =>
    step(`a script takes ${name} out, or puts it back`, (stage) => stage.move(name)),
  ),
  often(1, oneOf('A', 'B', 'Send'), (name) =>
    step(`a script renders ${name} anew`, (stage) => stage.renew(name)),
  ),
  always(1, 'a script adds input B as a copy of A', (stage) => stage.copyRow()),
  often(1, inputNames, (name) =>
    step(`a script puts a copy of ${name} in its place`, (stage) => stage.restore(name)),
  ),
  often(1, oneOf(...(Object.keys(BREAKAGES) as BreakageName[])), (name) =>
    step(`the page breaks ${name}, or mends it`, (stage) => stage.breakOrMend(name)),
  ),
  often(1, fc.tuple(inputNames, oneOf('OF THE PAGE', '')), ([name, message]) =>
    onInput(name, `a script calls ${name}.setCustomValidity("${message}")`, (input, stage) =>
      input.willValidate ? stage.setValidity(input, message) : false,
    ),
  ),
  often(
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
    ),
    ([text, options]) => step(`set { ${text} }`, (stage) => (stage.isRunning ? stage.set(options) : false)),
  ),
  often(1, inputNames, (name) => byHand(name, `verify(${name})`, (input, stage) => stage.verify(input))),
  always(1, 'the page is left (pagehide)', (stage) => stage.leave()),
  always(1, 'the page is shown (pageshow)', (stage) => stage.comeBack()),
  always(1, 'destroy', (stage) => stage.destroy()),
  always(2, 'install', (stage) => stage.start()),
];

const answerNames = Object.keys(ANSWERS) as AnswerName[];

/** Neither visitor nor page does anything. */
const meanwhile: Weighted[] = [
  often(10, oneOf(0, 1, 100, 300, 1000, 1000, 6000, 12_000), (ms) =>
    step(`pass ${ms} ms`, (stage) => stage.clock.pass(ms)),
  ),
  always(1, 'a day goes by', (stage) => stage.sleep(86_400_000)),
  often(
    12,
    fc.tuple(fc.nat(2), oneOf(...answerNames, 'deliverable' as const, 'undeliverable' as const)),
    ([at, name]) =>
      step(`answer: ${name}`, (stage) => {
        const email = stage.answer(at, name);
        return email === undefined ? false : `answer for ${email}: ${name}`;
      }),
  ),
  often(
    4,
    oneOf<AnswerName>('try again (249)', 'try again (249)', 'deliverable', 'rate limit exceeded (429)'),
    (name) =>
      step(`from now on, every answer is: ${name}`, (stage) => {
        stage.service.mood = name;
      }),
  ),
];

export const aStep: fc.Arbitrary<Step> = fc.oneof(...meanwhile, ...visitor, ...page);

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
