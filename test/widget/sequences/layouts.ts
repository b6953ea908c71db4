/** The pages that sequences happen on. What a step may take away and put back has a slot of its own. */

const slot = (name: string, html: string) => `<div data-slot="${name}">${html}</div>`;
const email = (name: string, attributes = '') =>
  slot(name, `<input type="email" name="${name}"${attributes}>`);
const button = (name: string, attributes = '') =>
  slot(name, `<button name="${name}" value="pressed"${attributes}>${name}</button>`);
const form = (name: string, content: string, attributes = '') =>
  slot(name, `<form id="${name}"${attributes}>${content}</form>`);

export const LAYOUTS = {
  'one form, one input': form('form', email('A') + button('Send')),
  'one form, one input, many buttons': form(
    'form',
    email('A') +
      button('Send') +
      button('Copy', ' formaction="/copy"') +
      button('Save', ' formnovalidate') +
      button('Plain', ' type="button"') +
      button('Reset', ' type="reset"'),
  ),
  'one form, two inputs': form('form', email('A') + email('B') + button('Send')),
  'two forms': form('form', email('A') + button('Send')) + form('other', email('B') + button('Copy')),
  'an input without a form': email('A'),
  'an input tied to its form by its attribute':
    form('form', '') + email('A', ' form="form"') + button('Send', ' form="form"'),
  'a form without a button': form('form', email('A')),
  'a form with another field, required': form(
    'form',
    `${email('A')}<input name="Name" required>${button('Send')}`,
  ),
  'a form with novalidate, its input with attributes of its own': form(
    'form',
    `${email('A', ' aria-describedby="hint" aria-invalid="false" aria-busy="false"')}<p id="hint">Hint</p>${button('Send')}`,
    ' novalidate=""',
  ),
  'a form that is filled in already': form(
    'form',
    email('A', ' value="joe@shop.example"') + button('Send') + button('Reset', ' type="reset"'),
  ),
  'the form of a dialog': `<dialog open="">${form('form', email('A') + button('Send'), ' method="dialog"')}</dialog>`,
  'a form in a dialog that one button closes': `<dialog open="">${form('form', email('A') + button('Send') + button('Save', ' formmethod="dialog"'))}</dialog>`,
} as const;

export type LayoutName = keyof typeof LAYOUTS;
