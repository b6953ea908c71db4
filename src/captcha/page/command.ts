/** What a captcha's script does when it is loaded: gives the captcha to the page's widget. */

import { jsonIn } from '../../interface/json.ts';
import { commandOf } from '../../locales/page/command.ts';
import { runningScript } from '../../widget/prototypes.ts';

/**
 * Puts the captcha at `emailVerifyCaptcha`, for scripts that set it as an option themselves. With options in the
 * running script's tag, as `data-` attributes (`data-params` as JSON), it is set at once, whether the widget is there
 * yet or not.
 *
 * @param name what it is called at `emailVerifyCaptcha`
 */
export function giveCaptcha<Options>(name: string, create: (options: Options) => unknown): void {
  const scope = window as unknown as Record<string, unknown>;
  scope.emailVerifyCaptcha = { ...(scope.emailVerifyCaptcha as object | undefined), [name]: create };
  const { params, ...given } = runningScript()?.dataset ?? {};
  if (!given.sitekey && !given.challenge) return;
  const options = { ...given, ...(params ? { params: jsonIn(params) } : null) };
  commandOf(scope)('captcha', create(options as Options));
}
