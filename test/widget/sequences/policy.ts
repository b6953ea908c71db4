/** The contract's policy, written a second time: what a result means for one input, by the options that hold now. */
import type { Allow } from '../../../src/protocol/policy.ts';
import type { VerificationResult } from '../../../src/protocol/result.ts';
import type { Messages } from '../../../src/widget/check/policy.ts';
import { DEFAULTS } from '../../../src/widget/options.ts';

/** What `verified` has to say. */
export interface Said {
  readonly accepted: boolean;
  readonly message: string;
}

/** The form's own override goes over what the page has set, and the input's over the form's. */
function overridden<T extends object>(name: string, base: T, input: HTMLInputElement): T {
  const texts = [input.form, input].map((element) => element?.getAttribute(`data-email-verify-${name}`));
  return Object.assign({}, base, ...texts.map((text) => JSON.parse(text ?? '{}')));
}

/**
 * @param allow as the page has set it
 * @param messages as the page has set them
 */
export function saidOf(
  input: HTMLInputElement,
  result: Partial<VerificationResult>,
  allow: Partial<Allow> | undefined,
  messages: Partial<Messages>,
): Said {
  const { states, ...allowances } = overridden('allow', { ...DEFAULTS.allow, ...allow }, input);
  const texts = overridden('messages', messages as Messages, input);
  const suggestion = result.did_you_mean && texts.didYouMean.replace('[EMAIL]', result.did_you_mean);
  const attributes = (['disposable', 'role', 'free'] as const).filter((name) => result[name]);

  if (!states.includes(result.state!)) return { accepted: false, message: suggestion || texts.invalid };
  const refused = attributes.find((name) => allowances[name] === false);
  if (refused) return { accepted: false, message: texts[refused] };
  const doubtful = attributes.find((name) => allowances[name] === 'warn');
  return { accepted: true, message: suggestion || (doubtful ? texts[doubtful] : '') };
}
