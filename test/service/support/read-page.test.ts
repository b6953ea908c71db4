import { Window } from 'happy-dom';
import { expect, it } from 'vitest';
import { buttonOf, fieldOf, navigationsOf, textOf } from './read-page.ts';

const PAGE = `<!doctype html><html lang="en"><head><title>Title</title><style>main > a { color: red }</style></head>
<body class="a > b">
<!-- Not <b>shown</b> -->
<nav aria-label="Sections"><a href="/?a=1&amp;b=2">One &amp; two</a></nav><nav><a href=/>Home</a></nav>
<template><button>Later</button></template>
<main><h1>Ada&#39;s &lt;list&gt;,
  &quot;new&quot;</h1>
<form method=post action="/first?x=1&amp;y=2"><input type="hidden" name="form_token" value="a&quot;b">
<label for="email">Email</label><input id="email" name="email" type="email" value="ada@example.com">
<label for="note">Note</label><textarea id="note" name="note">
 first
&lt;second&gt;</textarea>
<input type="checkbox" name="on" checked><input type="checkbox" name="off" value="1">
<input type="radio" name="way" value="a"><input type="radio" name="way" value="b" checked>
<label for="pick">Pick</label><select id="pick" name="pick"><option value="1">1</option><option value="2" selected>2</option></select>
<select name="first"><option value="x">X</option><option>Y</option></select>
<input type="file" name="file"><input id="nameless" value="no name">
<button name="do" value="it">Start <b>now</b></button></form>
<form action="/second"><button>Stop</button></form><button>Alone</button>
<script>if (1 < 2 && 3 > 2) go('<b>');</script></main></body></html>`;
const document = new new Window().DOMParser().parseFromString(PAGE, 'text/html');

it('reads the same text as a document', () => {
  expect(textOf(PAGE)).toBe(document.body.textContent.replace(/\s+/g, ' ').trim());
  expect(textOf(PAGE)).toContain('Ada\'s <list>, "new" Email Note first <second>');
  expect(navigationsOf(PAGE)).toEqual(['Sections', null]);
});

it('finds a button with what its form sends', () => {
  const start = buttonOf(PAGE, 'Start now');
  expect(start).toMatchObject({ name: 'do', value: 'it', form: { action: '/first?x=1&y=2' } });
  const { fields } = start!.form!;
  expect(fields.map(({ name, type, value, isChecked }) => [name, type, value, isChecked])).toEqual([
    ['form_token', 'hidden', 'a"b', false],
    ['email', 'email', 'ada@example.com', false],
    ['note', 'textarea', ' first\n<second>', false],
    ['on', 'checkbox', 'on', true],
    ['off', 'checkbox', '1', false],
    ['way', 'radio', 'a', false],
    ['way', 'radio', 'b', true],
    ['pick', 'select', '2', false],
    ['first', 'select', 'x', false],
    ['file', 'file', '', false],
    ['', 'text', 'no name', false],
  ]);
  expect(buttonOf(PAGE, 'Stop')!.form).toEqual({ action: '/second', fields: [] });
  expect(buttonOf(PAGE, 'Alone')!.form).toBeUndefined();
  expect(buttonOf(PAGE, 'Later')).toBeUndefined();
});

it('finds a field by its label', () => {
  expect(fieldOf(PAGE, 'Note')).toMatchObject({ name: 'note', value: ' first\n<second>' });
  expect(fieldOf(PAGE, 'Pick')).toMatchObject({ name: 'pick', value: '2' });
  expect(fieldOf(PAGE, 'None')).toBeUndefined();
});

it('fails for a character that the service does not escape', () => {
  expect(() => textOf('<body>a&nbsp;b</body>')).toThrow('&nbsp;');
});
