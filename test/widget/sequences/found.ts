/** Sequences that once broke a rule, as short scripts: each is named for what was seen, and is played in every run. */
import { DEFAULTS } from '../../../src/widget/options.ts';
import type { Stage } from './stage.ts';
import type { Opening, Step } from './steps.ts';

const JOE = 'joe@shop.example';

/** A page with nothing special, except for what a sequence is about. */
const opening = (special: Partial<Opening> = {}): Opening => ({
  layout: 'one form, one input',
  options: { verificationTimeout: DEFAULTS.verificationTimeout },
  habits: { disables: 'never', submits: 'as the browser does' },
  heedsAborts: true,
  ...special,
});

const input = (stage: Stage, name = 'A') => stage.input(name) as HTMLInputElement;
const button = (stage: Stage, name = 'Send') => stage.button(name) as HTMLButtonElement;
const form = (stage: Stage) => stage.form('form') as HTMLFormElement;
const step = (says: string, run: Step['run']): Step => ({ says, run });

interface Found {
  readonly opening: Opening;
  readonly steps: Step[];
}

export const FOUND: Readonly<Record<string, Found>> = {
  'a visitor empties a field of a held submission whose form was away while the page set options: it is dropped':
    {
      opening: opening({
        layout: 'a form that is filled in already',
        habits: { disables: 'once it is pressed', submits: 'as the browser does' },
      }),
      steps: [
        step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
        step('pass 0 ms', (stage) => stage.clock.pass(0)),
        step('a script takes the form out', (stage) => stage.move('form')),
        step('set { allow: { free: false } }', (stage) => stage.set({ allow: { free: false } })),
        step('a script puts the form back', (stage) => stage.move('form')),
        step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
        step('empty A', (stage) => stage.type(input(stage), '')),
      ],
    },
  'a visitor retypes what a script has put there while a script submits: the submission is not lost': {
    opening: opening({ layout: 'one form, two inputs', options: { verifyOn: 'submit' } }),
    steps: [
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
      step('a script fills in B', (stage) => stage.setValue(input(stage, 'B'), JOE)),
      step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
      step('retype B', (stage) => stage.fillIn(input(stage, 'B'), JOE, 'deliverable')),
    ],
  },
  'a page checks what is typed in the moment of Enter: the status is silent, as the bubble may be there': {
    opening: opening(),
    steps: [
      step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
      step('type into A', (stage) => stage.type(input(stage), 'joe@localhost')),
      step('leave', (stage) => stage.focus(null)),
      step('type into A', (stage) => stage.type(input(stage), 'joe@localhost')),
      step('a script calls form.checkValidity()', (stage) => stage.browser.checkValidity(form(stage))),
    ],
  },
  'the page submits within the click of a script that the sleeping widget does not hear, naming no button': {
    opening: opening({ habits: { disables: 'never', submits: 'at once, naming no button' } }),
    steps: [
      step('a script fills in A', (stage) => stage.setValue(input(stage), JOE)),
      step('a script clicks Send', (stage) => stage.press(button(stage), false)),
    ],
  },
  'the page takes away the form that an input is tied to, with an override that rejected its address': {
    opening: opening({ layout: 'an input tied to its form by its attribute' }),
    steps: [
      step('a script overrides allow', (stage) => stage.override(form(stage), 'allow', '{"states":[]}')),
      step('fill in A', (stage) => stage.fillIn(input(stage), JOE, 'deliverable')),
      step('a script takes the form out', (stage) => stage.move('form')),
      step('pass 300 ms', (stage) => stage.clock.pass(300)),
    ],
  },
  'a script submits a rejected address and one that is pending: the pending one says no': {
    opening: opening({ layout: 'a form that is filled in already' }),
    steps: [
      step('a script adds B', (stage) => stage.copyRow()),
      step('a script puts "joe@localhost" into A', (stage) => stage.setValue(input(stage), 'joe@localhost')),
      step('a script clicks Send', (stage) => stage.press(button(stage), false)),
    ],
  },
  'a script submits right after a reset, and a rejection that stood before stops it: nothing is held': {
    opening: opening({ layout: 'one form, one input, many buttons' }),
    steps: [
      step('a script adds B', (stage) => stage.copyRow()),
      step('type "joe" into B', (stage) => stage.type(input(stage, 'B'), 'joe')),
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('pass 0 ms', (stage) => stage.clock.pass(0)),
      step('press Reset', (stage) => stage.press(button(stage, 'Reset'), true)),
      step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
    ],
  },
  'a script empties a field while a submission is held, and submits after the pressed button has gone: no button is sent':
    {
      opening: opening(),
      steps: [
        step('type into A', (stage) => stage.type(input(stage), JOE)),
        step('press Send', (stage) => stage.press(button(stage), true)),
        step('a script empties A', (stage) => stage.setValue(input(stage), '')),
        step('a script takes Send out', (stage) => stage.move('Send')),
        step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
      ],
    },
  'a visitor types on right after Enter, and a script submits naming no button: no button is sent': {
    opening: opening(),
    steps: [
      step('a script adds B', (stage) => stage.copyRow()),
      step('type into B', (stage) => stage.type(input(stage, 'B'), JOE)),
      step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
    ],
  },
  'a script disables a field that is being verified, and submits: nothing waits for that field': {
    opening: opening({ layout: 'one form, two inputs' }),
    steps: [
      step('go to B', (stage) => stage.focus(input(stage, 'B'))),
      step('pass 0 ms', (stage) => stage.clock.pass(0)),
      step('type into B', (stage) => stage.type(input(stage, 'B'), JOE)),
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('a script disables B', (stage) => stage.toggle(input(stage, 'B'), 'disabled')),
      step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
    ],
  },
  'a script submits with novalidate while another field is wrong: it is held, and asks for what comes into the form':
    {
      opening: opening({ layout: 'a form with another field, required' }),
      steps: [
        step('a script fills in A', (stage) => stage.setValue(input(stage), JOE)),
        step('a script sets novalidate', (stage) => stage.setNovalidate(form(stage))),
        step('a script submits', (stage) => stage.requestSubmit(form(stage), null)),
        step('a script adds B', (stage) => stage.copyRow()),
      ],
    },
  'a visitor presses Enter outside a form after an error, and another field has the verdict by now: it is told':
    {
      opening: opening({ layout: 'an input without a form' }),
      steps: [
        step('a script adds B', (stage) => stage.copyRow()),
        step('fill in A', (stage) => stage.fillIn(input(stage), JOE, 'no JSON')),
        step('fill in B', (stage) => stage.fillIn(input(stage, 'B'), JOE, 'deliverable')),
        step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
      ],
    },
  'the machine sleeps before the widget has seen what a script has put there, and the page submits first: it is refused':
    {
      opening: opening({ habits: { disables: 'never', submits: 'after a question' } }),
      steps: [
        step('type into A', (stage) => stage.type(input(stage), JOE)),
        step('press Send', (stage) => stage.press(button(stage), true)),
        step('pass 300 ms', (stage) => stage.clock.pass(300)),
        step('answer: undeliverable', (stage) => stage.answer(0, 'undeliverable')),
        step('a script puts "joe@localhost" into A', (stage) =>
          stage.setValue(input(stage), 'joe@localhost'),
        ),
        step('a day goes by', (stage) => stage.sleep(86_400_000)),
      ],
    },
  'a script puts something into a refused field while the bubble speaks: the status is silent until the widget looks':
    {
      opening: opening(),
      steps: [
        step('type into A', (stage) => stage.type(input(stage), JOE)),
        step('press Send', (stage) => stage.press(button(stage), true)),
        step('answer: undeliverable', (stage) => stage.answer(0, 'undeliverable')),
        step('pass 0 ms', (stage) => stage.clock.pass(0)),
        step('a script puts "joe@SHOP.example" into A', (stage) =>
          stage.setValue(input(stage), 'joe@SHOP.example'),
        ),
      ],
    },
  'a script disables a refused field, which hears no leaving: the status is silent until the widget looks': {
    opening: opening(),
    steps: [
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('press Send', (stage) => stage.press(button(stage), true)),
      step('answer: undeliverable', (stage) => stage.answer(0, 'undeliverable')),
      step('pass 300 ms', (stage) => stage.clock.pass(300)),
      step('a script disables A', (stage) => stage.toggle(input(stage), 'disabled')),
      step('leave', (stage) => stage.focus(null)),
    ],
  },
  'a visitor leaves a refused field and is back at once: the status is silent, as the bubble may be there': {
    opening: opening(),
    steps: [
      step('type "joe@localhost" into A', (stage) => stage.type(input(stage), 'joe@localhost')),
      step('press Send', (stage) => stage.press(button(stage), true)),
      step('a day goes by', (stage) => stage.sleep(86_400_000)),
      step('type into A', (stage) => stage.type(input(stage), JOE)),
      step('press Send', (stage) => stage.press(button(stage), true)),
      step('answer: undeliverable', (stage) => stage.answer(0, 'undeliverable')),
      step('pass 300 ms', (stage) => stage.clock.pass(300)),
      step('fill in A', (stage) => stage.fillIn(input(stage), JOE, 'deliverable')),
      step('go to A', (stage) => stage.focus(input(stage))),
      step('a day goes by', (stage) => stage.sleep(86_400_000)),
    ],
  },
  'a script puts something into a refused field, and the visitor types the same again: the bubble was noticed':
    {
      opening: opening(),
      steps: [
        step('type "joe" into A', (stage) => stage.type(input(stage), 'joe')),
        step('press Send', (stage) => stage.press(button(stage), true)),
        step('a script puts "joe@shop.example" into A', (stage) => stage.setValue(input(stage), JOE)),
        step('pass 1 ms', (stage) => stage.clock.pass(1)),
        step('type "joe" into A', (stage) => stage.type(input(stage), 'joe')),
      ],
    },
  'a script fills in an address whose proof has grown old, and both forms are submitted: one renewal is told to both':
    {
      opening: opening({ layout: 'two forms', options: { verificationTimeout: 20, proofField: 'proof' } }),
      steps: [
        step('a script fills in A', (stage) => stage.setValue(input(stage), JOE)),
        step('fill in B', (stage) => stage.fillIn(input(stage, 'B'), JOE, 'deliverable')),
      ],
    },
  'a visitor types the address of a field whose proof is being renewed into another, which the renewal is told, too':
    {
      opening: opening({ layout: 'one form, two inputs', options: { proofField: 'proof' } }),
      steps: [
        step('fill in A', (stage) => stage.fillIn(input(stage), JOE, 'deliverable')),
        step('pass 12000 ms', (stage) => stage.clock.pass(12_000)),
        step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
        step('fill in B', (stage) => stage.fillIn(input(stage, 'B'), JOE, 'deliverable')),
      ],
    },
  'the proof that another field has renewed grows old, too, and the page submits naming no button: the button is sent':
    {
      opening: opening({
        layout: 'two forms',
        options: { verificationTimeout: 20, proofField: 'proof' },
        habits: { disables: 'never', submits: 'at once, naming no button' },
      }),
      steps: [
        step('type into B', (stage) => stage.type(input(stage, 'B'), JOE)),
        step('type into A', (stage) => stage.type(input(stage), JOE)),
      ],
    },
  'the page prevents the click of Enter and then asks whether the form is valid: no bubble hides the status':
    {
      opening: opening({ habits: { disables: 'never', submits: 'after a question' } }),
      steps: [
        step('fill in A', (stage) => stage.fillIn(input(stage), JOE, 'deliverable')),
        step('a script sets an override on A', (stage) =>
          stage.override(input(stage), 'allow', '{"states":["risky"]}'),
        ),
        step('press Enter in A', (stage) => stage.pressEnter(input(stage))),
        step('a script calls form.checkValidity()', (stage) => void stage.form('form')?.checkValidity()),
        step('pass 300 ms', (stage) => stage.clock.pass(300)),
      ],
    },
};
