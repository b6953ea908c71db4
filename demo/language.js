/** Says the widget's texts in the chosen language, by the files that a page would add for it. */
import { element } from './element.js';

const OTHERS = 'ar cs da de es fa fr he it ja ko nl pl pt ru sv tr uk zh'.split(' ');

const { dataset } = document.documentElement;

for (const language of OTHERS) {
  const name = new Intl.DisplayNames(language, { type: 'language' }).of(language);
  document
    .querySelector('[data-chooses="language"]')
    ?.append(element('option', { value: language, lang: language }, name));
}

let spoken = 'en';

async function speak() {
  const { language } = dataset;
  if (language === spoken || !window.emailVerify) return;
  spoken = language;
  // Without texts of its own, the widget speaks English.
  let texts = {};
  try {
    if (OTHERS.includes(language)) texts = (await import(`./v2/locales/${language}.mjs`)).default;
  } catch {
    console.warn(`The texts in ${language} could not be loaded: they stay as they were.`);
    return;
  }
  if (spoken === language) window.emailVerify('locale', texts);
}

new MutationObserver(speak).observe(document.documentElement, { attributeFilter: ['data-language'] });
// The widget's own script may come later than this one.
addEventListener('load', speak);
speak();
