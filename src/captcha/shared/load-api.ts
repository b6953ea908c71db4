/** Loads a provider's script, unless the page already has it. */

/** The source of a provider's script. */
export interface ScriptOptions {
  /** URL of the provider's script. @default the provider's own URL */
  src?: string | undefined;
  /** CSP nonce of the script's tag. @default the nonce of the page's scripts, if they have one */
  nonce?: string | undefined;
  /**
   * Hash of the script (`sha384-…`). The browser refuses any other file. An empty text turns the check off.
   *
   * @default the file's hash, if the default `src` has a fixed version; none with your own `src`
   */
  integrity?: string | undefined;
}

export interface ScriptSource<Api> {
  readonly src: string;
  /** Hash of the file at `src`, if that URL has a fixed version. */
  readonly integrity?: string;
  /** A part of the URL, to recognise a copy that the page loads itself. */
  readonly known: string;
  readonly isModule?: boolean;
  /** The object that the script defines, or `undefined` before it has run. */
  api(): Api | undefined;
}

/** The helper stops waiting for a script after this time. The next request tries again. */
const LOAD_MS = 30_000;
const LOOK_MS = 50;

/** @returns the object that the script defines. The promise rejects if the script does not load */
export function loadApi<Api>(source: ScriptSource<Api>, options: ScriptOptions): Promise<Api> {
  const { src = source.src, nonce = pagesNonce() } = options;
  const { integrity = options.src ? undefined : source.integrity } = options;
  const { api, known, isModule } = source;
  return new Promise((resolve, reject) => {
    let own: HTMLScriptElement | undefined;
    let lookedMs = 0;
    const fail = () => {
      own?.remove();
      reject(new Error(`could not load ${src}`));
    };
    const look = () => {
      const found = api();
      if (found) return resolve(found);
      if (lookedMs > LOAD_MS) return fail();
      lookedMs += LOOK_MS;
      setTimeout(look, LOOK_MS);
    };
    const { href } = new URL(src, document.baseURI);
    const isOnItsWay = [...document.scripts].some(
      (script) => script.src === href || script.src.includes(known),
    );
    if (!api() && !isOnItsWay) {
      own = document.createElement('script');
      own.async = true;
      if (isModule) own.type = 'module';
      if (nonce) own.nonce = nonce;
      if (integrity) {
        own.integrity = integrity;
        // Browsers check files of other origins only with `crossOrigin`.
        own.crossOrigin = '';
      }
      own.addEventListener('error', () => {
        lookedMs = Number.POSITIVE_INFINITY;
        fail();
      });
      own.src = src;
      document.head.append(own);
    }
    look();
  });
}

/** The nonce of the page's own scripts. The browser hides the attribute's value, but a selector still finds it. */
const pagesNonce = () => document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce;
