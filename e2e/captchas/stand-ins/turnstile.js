// Runs inside a function of provider.ts, which defines mint(), addField() and elementOf().
const widgets = new Map();
let made = 0;

const run = async (widget) => {
  try {
    widget.response = await mint(widget.parameters.sitekey);
    if (!widgets.has(widget.id)) return;
    if (widget.field) widget.field.value = widget.response;
    widget.parameters.callback?.(widget.response);
  } catch {
    if (!widget.parameters['error-callback']?.('300010'))
      console.error('[Cloudflare Turnstile] Error: 300010.');
  }
};

window.turnstile = {
  render(place, parameters) {
    const element = elementOf(place);
    if (!element || element.childElementCount) return undefined;
    made += 1;
    const id = `cf-chl-widget-${made}`;
    const frame = document.createElement('span');
    frame.className = 'turnstile-frame';
    element.append(frame);
    const field =
      parameters['response-field'] === false ? undefined : addField(element, 'cf-turnstile-response');
    const widget = { id, element, parameters, field, response: '' };
    widgets.set(id, widget);
    if (parameters.execution !== 'execute') void run(widget);
    return id;
  },
  execute: (id) => void run(widgets.get(id)),
  reset(id) {
    const widget = widgets.get(id);
    widget.response = '';
    if (widget.parameters.execution !== 'execute') void run(widget);
  },
  getResponse: (id = [...widgets.keys()][0]) => widgets.get(id)?.response,
  remove(id) {
    widgets.get(id).element.replaceChildren();
    widgets.delete(id);
  },
};
