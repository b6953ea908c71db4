import fc from 'fast-check';
import { Window } from 'happy-dom';
import { describe, expect, it } from 'vitest';
import { html, type Value } from '../../../src/service/pages/html.ts';

const say = (value: unknown) => html`<p>${value as Value}</p>`.toString();

describe('html', () => {
  it('escapes every text, and leaves what it has made itself as it is', () => {
    const said = '<p>&lt;b title=&quot;a&quot; lang=&#39;b&#39;&gt;&amp;amp;&lt;/b&gt;</p>';
    expect(say(`<b title="a" lang='b'>&amp;</b>`)).toBe(said);
    expect(say(html`<b>${'<'}</b>`)).toBe('<p><b>&lt;</b></p>');
    expect(say([html`<i>1</i>`, '<', 2])).toBe('<p><i>1</i>&lt;2</p>');
  });

  it('leaves nothing behind for what is absent', () => {
    expect(say(undefined)).toBe('<p></p>');
    expect(say(false)).toBe('<p></p>');
    expect(say([])).toBe('<p></p>');
  });

  it('does not take an object of somebody else for its own', () => {
    const planted = { toString: () => '<script>' };
    expect(say(planted)).toBe('<p>&lt;script&gt;</p>');
  });

  it('keeps any text in its place, between tags and in an attribute', () => {
    const { document } = new Window();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (attribute, text) => {
        document.body.innerHTML = html`<p title="${attribute}">${text}</p>`.toString();
        const [paragraph, ...others] = document.body.children;
        expect(others).toEqual([]);
        expect(paragraph!.children).toHaveLength(0);
        expect(paragraph!.getAttribute('title')).toBe(attribute);
        expect(paragraph!.textContent).toBe(text);
      }),
    );
  });

  it('refuses text where escaping would not help', () => {
    const text = 'x onclick=alert(1)';
    expect(() => html`<p title=${text}>`).toThrow('Expected text between tags or in a quoted attribute');
    expect(() => html`<p title='${text}'>`).toThrow();
    expect(() => html`<${text}>`).toThrow();
    expect(() => html`<p ${[text]}>`).toThrow();
    expect(() => html` title=${text}`).toThrow();
    expect(() => html`<script>${text}</script>`).toThrow();
    expect(() => html`<style>p { ${text} }</style>`).toThrow();
  });

  it('takes an attribute that it has made itself', () => {
    const described = html` aria-describedby="${'a"b'}"`;
    expect(html`<input${described}${false}>`.toString()).toBe('<input aria-describedby="a&quot;b">');
    expect(html`<script></script><p>${'after'}</p>`.toString()).toContain('<p>after</p>');
  });
});
