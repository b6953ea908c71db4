// Runs inside a function of provider.ts, which defines mint(), addField() and elementOf(). Like Google's script, it has
// only ready() until the rest has loaded.
const waiting = [];
const widgets = [];
const apart = new Map();
const isEnterprise = ADDRESS.pathname.endsWith('enterprise.js');
const key = ADDRESS.searchParams.get('render');
let firstOfApart = 100_000;

const solve = async (widget) => {
  // A solved captcha stays solved until it is reset.
  if (widget.response) return;
  try {
    widget.response = await mint(widget.parameters.sitekey);
  } catch {
    widget.parameters['error-callback']?.();
    return;
  }
  if (!widget.element.isConnected) throw new Error('reCAPTCHA client element has been removed');
  widget.field.value = widget.response;
  widget.parameters.callback?.(widget.response);
};
const widgetOf = (id = 0) => {
  const widget = apart.get(id) ?? widgets[id];
  if (!widget) throw new Error(`Invalid reCAPTCHA client id: ${id}`);
  return widget;
};

const whole = {
  ready: (then) => setTimeout(then, 0),
  render(place, parameters) {
    const element = elementOf(place);
    if (element.childElementCount) throw new Error('reCAPTCHA has already been rendered in this element');
    const field = addField(element, 'g-recaptcha-response', 'textarea');
    const widget = { element, parameters, field, response: '' };
    if (parameters.size !== 'invisible') {
      const box = document.createElement('button');
      box.type = 'button';
      box.textContent = "I'm not a robot";
      box.addEventListener('click', () => void solve(widget));
      element.append(box);
    }
    if (parameters.isolated) {
      apart.set(firstOfApart, widget);
      return firstOfApart++;
    }
    return widgets.push(widget) - 1;
  },
  execute(idOrKey = 0, options = undefined) {
    if (typeof idOrKey !== 'string') return Promise.resolve(void solve(widgetOf(idOrKey)));
    if (idOrKey !== key) throw new Error(`Invalid site key or not loaded in api.js: ${idOrKey}`);
    if (!/^[\w/]+$/.test(options?.action)) throw new Error('Invalid action name');
    return mint(idOrKey);
  },
  reset(id = 0) {
    const widget = widgetOf(id);
    widget.response = '';
    widget.field.value = '';
  },
  getResponse: (id = 0) => widgetOf(id).response,
};

const early = { ready: (then) => waiting.push(then) };
window.grecaptcha ??= isEnterprise ? {} : early;
if (isEnterprise) window.grecaptcha.enterprise = early;
setTimeout(() => {
  Object.assign(isEnterprise ? window.grecaptcha.enterprise : window.grecaptcha, whole);
  for (const then of waiting) then();
}, 0);
