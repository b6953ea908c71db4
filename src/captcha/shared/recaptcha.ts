/** What reCAPTCHA's versions have in common. */

/** `grecaptcha`, or `grecaptcha.enterprise`. */
export interface Recaptcha {
  ready(then: () => void): void;
  render(place: HTMLElement, parameters: Record<string, unknown>): number;
  reset(id: number): void;
  execute(id: number): unknown;
  execute(sitekey: string, parameters: { action: string }): PromiseLike<string>;
}

/** For how long a token is valid (https://developers.google.com/recaptcha/docs/verify). */
export const LIFE_MS = 120_000;

type WithRecaptcha = { grecaptcha?: Recaptcha & { enterprise?: Recaptcha } };

export const recaptchaOf = (name: 'classic' | 'enterprise'): Recaptcha | undefined => {
  const { grecaptcha } = window as WithRecaptcha;
  const api = name === 'classic' ? grecaptcha : grecaptcha?.enterprise;
  // hCaptcha stands in for it on some pages, and has no ready().
  return typeof api?.ready === 'function' ? api : undefined;
};

export const ready = (api: Recaptcha): Promise<void> => new Promise((then) => api.ready(() => then()));

/** A token for a key that gives scores: each call makes a new one. */
export async function scored(api: Recaptcha, sitekey: string, action: string): Promise<string> {
  await ready(api);
  return api.execute(sitekey, { action });
}

/**
 * Tokens from a widget. It is rendered once and reset for each token, since reCAPTCHA has no way to remove one, and
 * complains for ever of one whose element has gone.
 */
export function rendered(parameters: Record<string, unknown>) {
  const isInvisible = parameters.size === 'invisible';
  let widget: { id: number; home: HTMLElement } | undefined;
  let resolve = (_token: string) => {};
  let reject = (_error: Error) => {};
  let expire = () => {};

  return async (
    api: Recaptcha,
    place: HTMLElement,
    ended: AbortSignal,
    expired: () => void,
  ): Promise<string> => {
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
        // In a space of ids of its own: grecaptcha.getResponse(), without an id, stays the page's own widget's.
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
      // The badge of an invisible one must stay in sight, a ticked box must not.
      home.hidden = !isInvisible;
      // Closes a challenge that is open.
      if (!isSolved && home.isConnected) api.reset(id);
    });
    home.hidden = false;
    const [response] = await Promise.all([token, isInvisible && api.execute(id)]);
    isSolved = true;
    return response;
  };
}
