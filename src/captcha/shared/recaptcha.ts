/** The common part of reCAPTCHA's versions. */

import type { Provider } from './create-captcha.ts';

/** `grecaptcha`, or `grecaptcha.enterprise`. */
export interface Recaptcha {
  ready(then: () => void): void;
  render(place: HTMLElement, parameters: Record<string, unknown>): number;
  reset(id: number): void;
  execute(id: number): unknown;
  execute(sitekey: string, parameters: { action: string }): PromiseLike<string>;
}

/** The lifetime of a token (https://developers.google.com/recaptcha/docs/verify). */
export const LIFE_MS = 120_000;

type WithRecaptcha = { grecaptcha?: Recaptcha & { enterprise?: Recaptcha } };

export const recaptchaOf = (name: 'classic' | 'enterprise'): Recaptcha | undefined => {
  const { grecaptcha } = window as WithRecaptcha;
  const api = name === 'classic' ? grecaptcha : grecaptcha?.enterprise;
  // On some pages hCaptcha takes this name, and has no ready().
  return typeof api?.ready === 'function' ? api : undefined;
};

export const ready = (api: Recaptcha): Promise<void> => new Promise((then) => api.ready(() => then()));

/** Gets a new token for a score key. */
export async function scored(api: Recaptcha, sitekey: string, action: string): Promise<string> {
  await ready(api);
  return api.execute(sitekey, { action });
}

/**
 * Gets tokens from a widget, which is rendered once and reset for each token. reCAPTCHA cannot remove a widget, and
 * reports errors for ever if its element is gone.
 */
export function rendered(parameters: Record<string, unknown>): Provider<Recaptcha>['solve'] {
  const isInvisible = parameters.size === 'invisible';
  let widget: { id: number; home: HTMLElement } | undefined;
  let resolve = (_token: string) => {};
  let reject = (_error: Error) => {};
  let expire = () => {};

  return async (api, place, ended, expired) => {
    await ready(api);
    ended.throwIfAborted();
    expire = expired;
    let isSolved = false;
    const token = new Promise<string>((...both) => {
      [resolve, reject] = both;
    });
    if (!widget?.home.isConnected) {
      const home = document.createElement('div');
      home.style.cssText = place.style.cssText;
      place.parentNode?.append(home);
      const id = api.render(home, {
        // With `isolated`, grecaptcha.getResponse() without an ID still reads the page's own widget.
        ...(isInvisible ? { isolated: true } : null),
        ...parameters,
        callback: (response: string) => resolve(response),
        'expired-callback': () => expire(),
        'error-callback': () => reject(new Error('reCAPTCHA has failed')),
      });
      widget = { id, home };
    } else {
      api.reset(widget.id);
    }
    const { id, home } = widget;
    ended.addEventListener('abort', () => {
      // The badge of an invisible widget must stay visible. A checkbox goes.
      home.hidden = !isInvisible;
      // Closes an open challenge.
      if (!isSolved && home.isConnected) api.reset(id);
    });
    home.hidden = false;
    const [response] = await Promise.all([token, isInvisible && api.execute(id)]);
    isSolved = true;
    return response;
  };
}
