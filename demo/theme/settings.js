/**
 * What can be set, and under which name: a setting is a text, by a name like `color.light` or `status.padding`, and
 * none means the widget's own. Tables only.
 */

/** `fallback` is what stands for the light half when only the dark one is set. */
export const COLORS = [
  {
    name: 'color',
    fallback: 'CanvasText',
    says: 'The text. Default: CanvasText when floating, the page’s colour in the flow.',
  },
  { name: 'background', fallback: 'Canvas', says: 'The floating box. Default: Canvas.' },
  { name: 'border-color', fallback: 'GrayText', says: 'The floating box. Default: GrayText.' },
  {
    name: 'rejected-color',
    fallback: 'color-mix(in srgb, #f22 55%, currentcolor)',
    says: 'The edge and sign of a rejection, and its text in the flow. Default: red, mixed with almost half of the text colour.',
  },
  {
    name: 'hint-color',
    fallback: 'color-mix(in srgb, #e80 55%, currentcolor)',
    says: 'The same for a hint. Default: amber, mixed with almost half of the text colour.',
  },
  {
    name: 'suggestion-color',
    fallback: 'currentcolor',
    says: 'The suggested address. Default: the text colour.',
  },
  {
    name: 'spinner-color',
    fallback: 'currentcolor',
    says: 'The spinner. Default: the option style.loadingIconColor.',
  },
];

/** The free declarations of a part are its `*`. */
export const PARTS = [
  {
    name: 'status',
    says: 'The box.',
    declarations: [
      'border-radius',
      'border-width',
      'border-inline-start-width',
      'padding',
      'max-width',
      'box-shadow',
    ],
  },
  { name: 'message', says: 'The text.', declarations: ['font-size', 'font-weight', 'line-height'] },
  {
    name: 'suggestion',
    says: 'The button with the suggested address.',
    declarations: ['font-weight', 'text-underline-offset', 'padding', 'background-color', 'border-radius'],
  },
  {
    name: 'spinner',
    says: 'The ring during a verification.',
    declarations: ['width', 'height', 'border-width', 'border-style'],
  },
];

export const Z_INDEX = 'z-index';

/** How the input looks that the status belongs to. It is seen in the fields, and no part of the CSS to copy. */
export const INPUT = 'input';

/** Every name that there is. */
export const NAMES = [
  ...COLORS.flatMap(({ name }) => [`${name}.light`, `${name}.dark`]),
  Z_INDEX,
  ...PARTS.flatMap(({ name, declarations }) =>
    [...declarations, '*'].map((property) => `${name}.${property}`),
  ),
  INPUT,
];
