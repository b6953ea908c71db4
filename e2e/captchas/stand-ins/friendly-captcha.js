// Runs inside a function of provider.ts, which defines mint(), addField() and elementOf().
window.frcaptcha = {
  createWidget({ element, sitekey, startMode = 'focus', formFieldName = 'frc-captcha-response' }) {
    const field = formFieldName === null ? undefined : addField(element, formFieldName);
    let isDestroyed = false;
    let response = '.UNSTARTED';
    const fire = (name, detail) => {
      if (!isDestroyed)
        element.dispatchEvent(new CustomEvent(name, { bubbles: true, detail: { name, ...detail } }));
    };
    const start = async () => {
      try {
        response = await mint(sitekey);
      } catch {
        return fire('frc:widget.error', {
          state: 'error',
          response: '.ERROR',
          error: { code: 'network_error' },
        });
      }
      if (field) field.value = response;
      fire('frc:widget.complete', { state: 'completed', response });
    };
    if (startMode === 'auto') setTimeout(start, 0);
    return {
      addEventListener: (...parameters) => element.addEventListener(...parameters),
      start,
      getResponse: () => response,
      destroy() {
        isDestroyed = true;
        element.replaceChildren();
      },
    };
  },
};
