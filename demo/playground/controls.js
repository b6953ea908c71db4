/** A control for each kind of setting: a row of the page that holds a text, and can be told another. */
import { element } from '../element.js';

/**
 * @typedef {object} Control
 * @property {HTMLElement} row to be put into the page
 * @property {() => string} read
 * @property {(text: string) => void} write
 * @property {(isUsable: boolean) => void} mark
 */

/**
 * @param {import('./options.js').Setting & { label?: string, labels?: string[] }} setting
 * @returns {Control}
 */
export function createControl(setting) {
  const { row, read, write, named } = MAKERS[setting.kind](setting, `set-${setting.path}`);
  for (const control of named) {
    control.setAttribute('form', 'settings');
    if (setting.says) control.setAttribute('aria-describedby', `says-${setting.path}`);
  }
  if (setting.says)
    row.append(element('p', { class: 'says', id: `says-${setting.path}` }, ...codeIn(setting.says)));
  const mark = (isUsable) => {
    for (const control of named) control.setAttribute('aria-invalid', String(!isUsable));
  };
  return { row, read, write, mark: setting.kind in FREE ? mark : () => {} };
}

/** What can be typed, and so be of no use. */
const FREE = { text: true, number: true, colour: true };

const nameOf = ({ path, label }) =>
  label ? element('span', {}, label) : element('code', { dir: 'ltr' }, path);

/** What reads as code in a sentence: `#status-slot`, `info@`, `[EMAIL]`. */
function codeIn(text) {
  return text
    .split(/([#\w-]*@|#[\w-]+|\[EMAIL\])/)
    .map((part, at) => (at % 2 ? element('code', { dir: 'ltr' }, part) : part));
}

/** A label at the start of the row, one or two controls after it. */
function oneLine(setting, id, ...controls) {
  return element(
    'div',
    { class: 'setting' },
    element('label', { for: id }, nameOf(setting)),
    element('div', { class: 'control' }, ...controls),
  );
}

function manyChoices(setting, type) {
  const inputs = setting.values.map((value) => element('input', { type, name: setting.path, value }));
  const choices = inputs.map((input, at) =>
    element('label', {}, input, ` ${setting.labels?.[at] ?? input.value}`),
  );
  const row = element(
    'fieldset',
    { class: 'setting' },
    element('legend', {}, nameOf(setting)),
    element('div', { class: 'control choices' }, ...choices),
  );
  return {
    row,
    named: inputs,
    read: () =>
      inputs
        .filter(({ checked }) => checked)
        .map(({ value }) => value)
        .join(','),
    write(text) {
      const wanted = text.split(',');
      for (const input of inputs) input.checked = wanted.includes(input.value);
    },
  };
}

/** A control whose value is the text of its setting. */
const writable = (row, control, follow = () => {}) => ({
  row,
  named: [control],
  read: () => control.value,
  write(text) {
    control.value = text;
    follow();
  },
});

function textField(setting, id, more = {}) {
  return element('input', { id, name: setting.path, autocomplete: 'off', ...more });
}

const CODE = { dir: 'ltr', spellcheck: 'false', autocapitalize: 'none', class: 'code' };

function plainText(setting, id) {
  const isMessage = setting.path.startsWith('messages.');
  const input = textField(setting, id, isMessage ? { dir: 'auto' } : CODE);
  const row = oneLine(setting, id, input);
  if (setting.suggestions) {
    const list = element('datalist', { id: `${id}-list` });
    list.append(...setting.suggestions.map((value) => element('option', { value })));
    input.setAttribute('list', list.id);
    row.append(list);
  }
  return writable(row, input);
}

/** A text that a second control helps to write: a slider, a colour picker. */
function helpedText(setting, input, helper, row) {
  helper.addEventListener('input', () => {
    input.value = helper.value;
  });
  const follow = () => {
    // What it can't show it leaves as it was.
    if (canShow(helper, input.value)) helper.value = input.value;
  };
  input.addEventListener('input', follow);
  helper.setAttribute('form', 'settings');
  helper.setAttribute('aria-label', `${setting.label ?? setting.path}, ${HELPERS[helper.type]}`);
  return writable(row, input, follow);
}

const HELPERS = { range: 'slider', color: 'colour picker' };

const canShow = (helper, text) =>
  helper.type === 'color' ? /^#[\da-f]{6}$/i.test(text) : text.trim() !== '' && Number(text) >= 0;

function menu(setting, id) {
  const select = element('select', { id, name: setting.path, autocomplete: 'off' });
  for (const [at, value] of setting.values.entries()) {
    select.append(element('option', { value }, setting.labels?.[at] ?? value));
  }
  return writable(oneLine(setting, id, select), select);
}

const MAKERS = {
  text: plainText,
  names: plainText,
  choice: (setting) => manyChoices(setting, 'radio'),
  several: (setting) => manyChoices(setting, 'checkbox'),
  menu,
  language(setting, id) {
    const labels = setting.values.map((language) =>
      language === 'auto'
        ? 'auto: the page’s language'
        : `${new Intl.DisplayNames(language, { type: 'language' }).of(language)} (${language})`,
    );
    return menu({ ...setting, labels }, id);
  },
  toggle(setting, id) {
    const input = element('input', {
      type: 'checkbox',
      role: 'switch',
      id,
      name: setting.path,
      autocomplete: 'off',
    });
    return {
      row: oneLine(setting, id, input),
      named: [input],
      read: () => String(input.checked),
      write(text) {
        input.checked = text === 'true';
      },
    };
  },
  number(setting, id) {
    const { max, step, unit } = setting.range;
    const input = textField(setting, id, { ...CODE, inputmode: 'decimal', class: 'code short' });
    const slider = element('input', { type: 'range', min: '0', max: String(max), step: String(step) });
    const row = oneLine(setting, id, slider, input, element('span', { class: 'unit' }, unit));
    return helpedText(setting, input, slider, row);
  },
  colour(setting, id) {
    const input = textField(setting, id, CODE);
    const picker = element('input', { type: 'color', value: '#808080' });
    return helpedText(setting, input, picker, oneLine(setting, id, input, picker));
  },
};
