// Runs inside a function of provider.ts, which defines mint(), addField() and elementOf().
customElements.define(
  'altcha-widget',
  class extends HTMLElement {
    connectedCallback() {
      this.field = addField(this, this.getAttribute('name') ?? 'altcha');
      this.dispatchEvent(new CustomEvent('load'));
      if (this.getAttribute('auto') === 'onload') setTimeout(() => this.verify(), 0);
    }

    async verify() {
      const tell = (state, payload) =>
        this.dispatchEvent(new CustomEvent('statechange', { detail: { state, payload } }));
      tell('verifying');
      try {
        const payload = await mint(this.getAttribute('challenge'));
        this.field.value = payload;
        tell('verified', payload);
        this.dispatchEvent(new CustomEvent('verified', { detail: { payload } }));
      } catch {
        tell('error');
      }
    }
  },
);
