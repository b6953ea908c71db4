// Runs inside a function of provider.ts, which defines mint(), addField() and elementOf().
const widgets = new Map();
let made = 0;

window.hcaptcha = {
  render(place, parameters) {
    const element = elementOf(place);
    if (element.childElementCount) throw new Error('Only one captcha is permitted per parent container.');
    made += 1;
    const id = `0${made}`;
    const fields = ['h-captcha-response', 'g-recaptcha-response'].map((name) =>
      addField(element, name, 'textarea'),
    );
    widgets.set(id, { element, parameters, fields, response: '' });
    return id;
  },
  async execute(id = [...widgets.keys()][0], { async } = {}) {
    const widget = widgets.get(id);
    if (!widget) throw 'invalid-captcha-id';
    try {
      widget.response = await mint(widget.parameters.sitekey);
    } catch {
      widget.parameters['error-callback']?.('network-error');
      throw 'network-error';
    }
    if (widget.parameters.sitekey === 'closed') throw 'challenge-closed';
    for (const field of widget.fields) field.value = widget.response;
    widget.parameters.callback?.(widget.response);
    return async ? { response: widget.response, key: '' } : undefined;
  },
  reset(id = [...widgets.keys()][0]) {
    widgets.get(id).response = '';
  },
  getResponse: (id = [...widgets.keys()][0]) => widgets.get(id)?.response ?? '',
  remove(id) {
    widgets.get(id).element.replaceChildren();
    widgets.delete(id);
  },
};
if (ADDRESS.searchParams.get('recaptchacompat') !== 'off') window.grecaptcha = window.hcaptcha;
