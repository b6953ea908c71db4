/**
 * Themes to start from: the settings, and the look of the input that they go with. The colours are those of each design
 * system's own documentation, or a darker one of its palette where text needs 4.5:1. Tables only.
 */

/** https://getbootstrap.com/docs/5.3/forms/form-control/, with the colours of its "emphasis" texts. */
const BOOTSTRAP_FONT =
  'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif';

/** https://m3.material.io/components/text-fields, outlined, with the baseline scheme. */
const MATERIAL_FONT = 'Roboto, system-ui, sans-serif';

export const PRESETS = [
  { title: 'The widget’s own', settings: {}, input: '' },
  {
    title: 'Bootstrap 5',
    input: `border: 1px solid light-dark(#dee2e6, #495057);
border-radius: 0.375rem;
padding: 0.375rem 0.75rem;
background-color: light-dark(#fff, #212529);
color: light-dark(#212529, #dee2e6);
font: 400 1rem / 1.5 ${BOOTSTRAP_FONT};`,
    settings: {
      'color.light': '#212529',
      'color.dark': '#dee2e6',
      'background.light': '#fff',
      'background.dark': '#212529',
      'border-color.light': '#dee2e6',
      'border-color.dark': '#495057',
      'rejected-color.light': '#b02a37',
      'rejected-color.dark': '#ea868f',
      'hint-color.light': '#664d03',
      'hint-color.dark': '#ffda6a',
      'suggestion-color.light': '#0a58ca',
      'suggestion-color.dark': '#6ea8fe',
      'spinner-color.light': '#0d6efd',
      'spinner-color.dark': '#6ea8fe',
      'status.border-radius': '0.375rem',
      'message.font-size': '0.875rem',
      'message.*': `font-family: ${BOOTSTRAP_FONT}`,
      'suggestion.border-radius': '0.25rem',
    },
  },
  {
    // https://ui.shadcn.com/docs/components/input, with Tailwind's zinc.
    title: 'Tailwind, shadcn/ui',
    input: `border: 1px solid light-dark(#e4e4e7, #3f3f46);
border-radius: 0.375rem;
padding: 0.5rem 0.75rem;
background-color: light-dark(#fff, #09090b);
color: light-dark(#09090b, #fafafa);
font-size: 0.875rem;
line-height: 1.25rem;
box-shadow: 0 1px 2px rgb(0 0 0 / 5%);`,
    settings: {
      'color.light': '#09090b',
      'color.dark': '#fafafa',
      'background.light': '#fff',
      'background.dark': '#09090b',
      'border-color.light': '#e4e4e7',
      'border-color.dark': '#3f3f46',
      'rejected-color.light': '#dc2626',
      'rejected-color.dark': '#f87171',
      'hint-color.light': '#b45309',
      'hint-color.dark': '#fbbf24',
      'status.border-radius': '0.375rem',
      'message.font-size': '0.875rem',
      'message.line-height': '1.25rem',
      'suggestion.font-weight': '500',
      'suggestion.text-underline-offset': '4px',
      'suggestion.border-radius': '0.25rem',
    },
  },
  {
    title: 'Material 3',
    input: `border: 1px solid light-dark(#79747e, #938f99);
border-radius: 4px;
padding: 0.75rem 1rem;
background-color: light-dark(#fef7ff, #141218);
color: light-dark(#1d1b20, #e6e0e9);
font: 400 1rem / 1.5 ${MATERIAL_FONT};`,
    settings: {
      'color.light': '#49454f',
      'color.dark': '#cac4d0',
      'background.light': '#f3edf7',
      'background.dark': '#211f26',
      'border-color.light': '#cac4d0',
      'border-color.dark': '#49454f',
      'rejected-color.light': '#b3261e',
      'rejected-color.dark': '#f2b8b5',
      'hint-color.light': '#7d5260',
      'hint-color.dark': '#efb8c8',
      'suggestion-color.light': '#6750a4',
      'suggestion-color.dark': '#d0bcff',
      'spinner-color.light': '#6750a4',
      'spinner-color.dark': '#d0bcff',
      'status.border-radius': '4px',
      'message.font-size': '0.875rem',
      'message.line-height': '1.25rem',
      'message.*': `font-family: ${MATERIAL_FONT}; letter-spacing: 0.0156em`,
      'suggestion.border-radius': '4px',
    },
  },
];
