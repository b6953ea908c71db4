// @vitest-environment happy-dom
import { beforeEach, expect, it, vi } from 'vitest';
import { uploadLists } from '../../src/dashboard/upload.ts';

const PAGE = `<main id="main"><h1>New batch</h1><form id="upload" action="/dashboard/lists" data-most-bytes="1048576">
<input type="hidden" name="form_token" value="t"><input type="file" id="file" name="file">
<p class="note">CSV</p><button class="primary">Upload</button></form><p id="other">beside</p></main>`;

/** A request that the test answers. */
class Request extends EventTarget {
  static latest: Request | undefined;
  readonly upload = new EventTarget();
  status = 0;
  responseURL = '';
  responseText = '';
  sent: FormData | undefined;
  constructor() {
    super();
    Request.latest = this;
  }
  open(): void {}
  send(body: FormData): void {
    this.sent = body;
  }
  abort(): void {
    this.dispatchEvent(new Event('abort'));
  }
  answer(status: number, text = ''): void {
    Object.assign(this, { status, responseText: text });
    this.dispatchEvent(new Event('load'));
  }
}

const assign = vi.fn();
beforeEach(() => {
  vi.stubGlobal('XMLHttpRequest', Request);
  vi.stubGlobal('location', { assign });
  assign.mockReset();
  Request.latest = undefined;
  document.body.innerHTML = PAGE;
  uploadLists();
});

const form = () => document.querySelector<HTMLFormElement>('#upload')!;
const field = () => document.querySelector<HTMLInputElement>('#file')!;
const submit = () => form().dispatchEvent(new Event('submit', { cancelable: true }));
const fault = () => form().querySelector('[role=alert]')?.textContent;

function choose(...files: File[]): void {
  Object.defineProperty(field(), 'files', { value: files, configurable: true, writable: true });
}

function start(): Request {
  choose(new File(['a@example.com'], 'list.csv'));
  submit();
  return Request.latest!;
}

function drag(type: string, target: Element, files: File[]): Event {
  const event = new Event(type, { bubbles: true, cancelable: true });
  const types = files.length > 0 ? ['Files'] : ['text/plain'];
  Object.assign(event, { dataTransfer: { types, files } });
  target.dispatchEvent(event);
  return event;
}

it('does nothing on other pages', () => {
  document.body.innerHTML = '<form id="upload"></form>';
  expect(() => uploadLists()).not.toThrow();
});

it('shows how much is sent, then that it is read, and goes on to the list', () => {
  const request = start();
  const bar = form().querySelector('progress')!;
  request.upload.dispatchEvent(Object.assign(new Event('progress'), { loaded: 1, total: 4 }));
  expect(bar.value).toBe(0.25);
  request.upload.dispatchEvent(new Event('load'));
  expect(bar.hasAttribute('value')).toBe(false);
  expect(form().querySelector('[role=status]')!.textContent).toBe('Reading list.csv…');
  request.responseURL = '/dashboard/lists/1';
  request.answer(200);
  expect(assign).toHaveBeenCalledWith('/dashboard/lists/1');
});

it('marks the field of a file that is too large, describes it by the fault, and forgets both with the next file', () => {
  choose(new File([new Uint8Array(1_048_577)], 'large.csv'));
  submit();
  const problem = form().querySelector('[role=alert]')!;
  expect(problem.textContent).toContain('Expected a file of at most 1 MiB, got one of 2 MiB.');
  const described = () => field().getAttribute('aria-describedby')!.split(' ');
  expect([field().getAttribute('aria-invalid'), described()]).toEqual(['true', ['file-hint', problem.id]]);
  expect(document.activeElement).toBe(field());
  start();
  expect(field().getAttribute('aria-invalid')).toBeNull();
  expect(described()).toEqual(['file-hint']);
  expect(fault()).toBeUndefined();
});

it('does not mark the file when the upload is cancelled', () => {
  start().abort();
  expect(fault()).toBe('The upload was cancelled. The list was not stored.');
  expect(field().getAttribute('aria-invalid')).toBeNull();
});

it('sends a file once, however often the form is submitted', () => {
  const request = start();
  submit();
  expect(Request.latest).toBe(request);
});

it('sends nothing without a file, and nothing that is too large', () => {
  choose();
  submit();
  choose(new File([new Uint8Array(1_048_577)], 'large.csv'));
  submit();
  expect(fault()).toContain('Expected a file of at most 1 MiB, got one of 2 MiB.');
  expect(Request.latest).toBeUndefined();
});

it('shows the page that says what is wrong with the file', () => {
  const page = PAGE.replace('id="file"', 'id="file" aria-invalid="true"');
  start().answer(422, `<title>List not read</title>${page}`);
  expect(document.title).toBe('List not read');
  expect(document.activeElement).toBe(field());
  expect(document.querySelector('.note')!.textContent).toContain('drop the file here');
});

it('puts the focus into the sign-in form when the session ended before the upload', () => {
  start().answer(403, '<main id="main"><form><input name="email"><input id="email" autofocus></form></main>');
  expect(document.activeElement?.id).toBe('email');
});

it('puts the focus on the problem when no further list may wait, and tells when those that wait end', () => {
  const waiting = '<time datetime="2026-01-02T03:04:00Z">2 January 2026, 03:04 UTC</time>';
  const problem = '<p class="problem" id="problem" role="alert" tabindex="-1">5 lists are waiting.</p>';
  start().answer(422, `<main id="main">${problem}<a href="/">List</a>${waiting}</main>`);
  expect(document.activeElement?.id).toBe('problem');
  expect(document.querySelector('time')!.textContent).not.toContain('UTC');
  expect(document.getElementById('time-zone')).not.toBeNull();
});

it('says that nothing was stored after an upload that broke off, or an answer without a page', () => {
  const first = start();
  first.dispatchEvent(new Event('error'));
  expect(fault()).toBe('The connection was lost during the upload, so the list was not stored. Try again.');
  // The focus was on the button that cancels, which is gone.
  expect(document.activeElement?.textContent).toBe('Upload');
  const second = start();
  expect(fault()).toBeUndefined();
  second.answer(502, 'Bad gateway');
  expect(fault()).toBe('The server answered with 502, so the list was not stored. Try again.');
  start().answer(408, '{"message":"The request took too long to arrive."}');
  expect(fault()).toBe('The upload took longer than five minutes, so the list was not stored. Try again.');
});

it('stops an upload that is cancelled', () => {
  start();
  [...form().querySelectorAll('button')].find(({ textContent }) => textContent === 'Cancel upload')!.click();
  expect(fault()).toBe('The upload was cancelled. The list was not stored.');
  expect(form().querySelector('progress')).toBeNull();
  expect(document.activeElement?.textContent).toBe('Upload');
});

it('takes a file that is dropped on the form', () => {
  const submitted = vi.spyOn(form(), 'requestSubmit').mockImplementation(() => {});
  choose();
  const file = new File(['x'], 'list.csv');
  expect(drag('dragover', form(), [file]).defaultPrevented).toBe(true);
  expect(form().classList.contains('over')).toBe(true);
  drag('drop', form(), [file]);
  expect([form().classList.contains('over'), submitted.mock.calls.length]).toEqual([false, 1]);
  expect(field().files).toEqual([file]);
});

it('does not let a file that is dropped beside the form replace the page', () => {
  const submitted = vi.spyOn(form(), 'requestSubmit').mockImplementation(() => {});
  const beside = document.getElementById('other')!;
  expect(drag('drop', beside, [new File([], 'x')]).defaultPrevented).toBe(true);
  expect(drag('drop', beside, []).defaultPrevented).toBe(false);
  drag('dragover', form(), [new File([], 'x')]);
  document.dispatchEvent(new Event('dragleave'));
  expect(form().classList.contains('over')).toBe(false);
  expect(submitted).not.toHaveBeenCalled();
});
