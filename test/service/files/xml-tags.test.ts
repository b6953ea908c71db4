import { describe, expect, it } from 'vitest';
import {
  attributeOf,
  decodeXml,
  edited,
  escapeXml,
  NotXmlError,
  tagsOf,
  valuesOf,
  withAttributes,
} from '../../../src/service/files/xml-tags.ts';

const only = (xml: string) => [...tagsOf(xml)][0]!;

describe('the tags of an XML text', () => {
  it('are found with their prefix, kind and place', () => {
    const tags = [...tagsOf('text <x:row r="1"> <c/> </x:row>')];
    expect(tags.map(({ prefix, name, kind, from, to }) => [prefix, name, kind, from, to])).toEqual([
      ['x:', 'row', 'open', 5, 18],
      ['', 'c', 'empty', 19, 23],
      ['x:', 'row', 'close', 24, 32],
    ]);
  });

  it('are not in comments, texts without markup and instructions', () => {
    const xml = '<?xml version="1.0"?><!-- <a> --><b/><![CDATA[<c>]]><d/>';
    expect([...tagsOf(xml)].map(({ name }) => name)).toEqual(['b', 'd']);
  });

  it.each([
    ['a comment without an end', '<!-- a'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['a tag without an end', '<a b="1"'],
    ['an attribute without quotes', '<a b=1>'],
    ['a lone angle bracket', '1 < 2'],
  ])('throws for %s', (_, xml) => {
    expect(() => [...tagsOf(xml)]).toThrow(NotXmlError);
  });
});

describe('the attributes of a tag', () => {
  const tag = only(`<a r:id="1&amp;2" name = 'x' empty=""/>`);

  it('are read whatever their prefix and quotes are', () => {
    const names = ['id', 'name', 'empty', 'other'];
    expect(names.map((name) => attributeOf(tag, name))).toEqual(['1&2', 'x', '', undefined]);
    expect(valuesOf(tag)).toEqual(['1&amp;2', 'x', '']);
  });

  it('are changed, added and left out, and one with a prefix stays', () => {
    expect(withAttributes(tag, { name: '"<', id: '3', empty: undefined })).toBe(
      '<a r:id="1&amp;2" name="&quot;&lt;" id="3"/>',
    );
    expect(withAttributes(only('<x:b c="1">'), { c: undefined })).toBe('<x:b>');
  });
});

it('replaces parts of a text, and keeps the rest', () => {
  const edits = [
    { from: 0, to: 1, by: 'x' },
    { from: 2, to: 4, by: '' },
  ];
  expect(edited('abcdef', edits)).toBe('xbef');
});

it.each([
  ['&amp;&lt;&gt;&quot;&apos;', `&<>"'`],
  ['&#65;&#x42;&#X1F600;', 'AB😀'],
  ['&none; &#1114112; &#xffffff; & &;', '&none; &#1114112; &#xffffff; & &;'],
  ['plain', 'plain'],
])('reads %s as %s', (written, text) => {
  expect(decodeXml(written)).toBe(text);
});

it('writes marks so that they are read as they were', () => {
  const text = `<a href="x">&\r</a>'`;
  expect(escapeXml(text)).toBe(`&lt;a href=&quot;x&quot;&gt;&amp;&#13;&lt;/a&gt;'`);
  expect(decodeXml(escapeXml(text))).toBe(text);
});
