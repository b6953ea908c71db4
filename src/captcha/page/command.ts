/** The script of a captcha helper: gives the captcha to the page's widget. */

import { commandOf } from '../../locales/page/command.ts';
import { jsonIn } from '../../protocol/json.ts';
import { runningScript } from '../../widget/prototypes.ts';

/**
 * Adds the captcha helper to `emailVerifyCaptcha`, for scripts that set the option themselves. If the script's tag has
 * options as `data-` attributes (`data-params` as JSON), it sets the option at once. The widget may load later.
 *
 * @param name the helper's name in `emailVerifyCaptcha`
 */
export function giveCaptcha<Options>(name: string, create: (options: Options) => unknown): void {
  const scope = window as unknown as Record<string, unknown>;
  scope.emailVerifyCaptcha = { ...(scope.emailVerifyCaptcha as object | undefined), [name]: create };
  const { params, ...given } = runningScript()?.dataset ?? {};
  if (!given.sitekey && !given.challenge) return;
  const options = { ...given, ...(params ? { params: jsonIn(params) } : null) };
  commandOf(scope)('captcha', create(options as Options));
}
