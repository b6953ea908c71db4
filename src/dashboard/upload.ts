/** Uploads a list with progress: by drag and drop, or from the field. Without scripts the form does the same. */
import { make } from './make.ts';
import { tellLocalTimes } from './times.ts';

export function uploadLists(): void {
  const form = document.querySelector<HTMLFormElement>('form#upload');
  const field = form?.querySelector<HTMLInputElement>('input[type=file]');
  if (!form || !field) return;
  const hint = form.querySelector('.note');
  hint?.append(' You can also drop the file here.');
  takeDrops(form, (files) => {
    field.files = files;
    form.requestSubmit();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const file = field.files?.[0];
    const most = Number(form.dataset.mostBytes);
    if (file && file.size > most) {
      const found = `Expected a file of at most ${most / 1024 / 1024} MiB, got one of ${Math.ceil(file.size / 1024 / 1024)} MiB.`;
      say(form, `${found} Remove columns that you do not need, or split the file.`, true);
      field.focus();
    } else if (file) send(form, file.name);
  });
}

function takeDrops(form: HTMLElement, take: (files: FileList) => void): void {
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  // A file that is dropped outside the form must not replace the page.
  for (const type of ['dragover', 'drop'] as const) {
    document.addEventListener(type, (event) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const isInside = form.contains(event.target as Node);
      form.classList.toggle('over', type === 'dragover' && isInside);
      const files = event.dataTransfer?.files;
      if (type === 'drop' && isInside && files?.length) take(files);
    });
  }
  document.addEventListener('dragleave', () => form.classList.remove('over'));
}

function send(form: HTMLFormElement, name: string): void {
  if (form.querySelector('.uploading')) return;
  forget(form);
  const { box, bar, text, cancel } = makeProgress(name);
  const button = form.querySelector<HTMLButtonElement>('button.primary')!;
  // `fetch` would not report the progress of the upload.
  const request = new XMLHttpRequest();
  const end = () => {
    box.remove();
    button.disabled = false;
  };
  const fail = (reason: string) => {
    end();
    say(form, `${reason}, so the list was not stored. Try again.`);
    button.focus();
  };
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    bar.value = loaded / total;
  });
  request.upload.addEventListener('load', () => {
    bar.removeAttribute('value');
    text.textContent = `Reading ${name}…`;
  });
  request.addEventListener('error', () => fail('The connection was lost during the upload'));
  request.addEventListener('abort', () => {
    end();
    say(form, 'The upload was cancelled. The list was not stored.');
    button.focus();
  });
  request.addEventListener('load', () => {
    if (request.status === 200) location.assign(request.responseURL);
    else if (request.status === 408) fail('The upload took longer than five minutes');
    else if (!showInstead(request.responseText)) fail(`The server answered with ${request.status}`);
  });
  cancel.addEventListener('click', () => request.abort());
  form.append(box);
  button.disabled = true;
  cancel.focus();
  request.open('POST', form.action);
  request.send(new FormData(form));
}

/** The parts of the form that show the progress of an upload. */
function makeProgress(name: string) {
  const box = make('div', { className: 'uploading' });
  const text = make('p', { id: 'uploading', textContent: `Uploading ${name}…` });
  text.setAttribute('role', 'status');
  const bar = make('progress', { max: 1, value: 0 });
  bar.setAttribute('aria-labelledby', text.id);
  const cancel = make('button', { type: 'button', className: 'small', textContent: 'Cancel upload' });
  box.append(text, bar, cancel);
  return { box, bar, text, cancel };
}

/** Shows the page that the service has sent, which explains the error. */
function showInstead(answer: string): boolean {
  const page = new DOMParser().parseFromString(answer, 'text/html');
  const main = page.getElementById('main');
  if (!main) return false;
  document.title = page.title;
  document.getElementById('main')?.replaceChildren(...main.childNodes);
  uploadLists();
  tellLocalTimes(document);
  // The sign-in form has no faulty field after the end of a session, and a page without room for a list has no form.
  const target =
    document.querySelector<HTMLElement>('#main :is([aria-invalid], [autofocus])') ??
    document.querySelector<HTMLElement>('#main .problem[tabindex]');
  target?.focus();
  return true;
}

const FAULT_ID = 'upload-problem';

/**
 * Shows an error. Screen readers announce it at once.
 *
 * @param isOfFile whether the file has to be another one. Then the field is marked, as on the pages of the service.
 */
function say(form: HTMLElement, fault: string, isOfFile = false): void {
  forget(form);
  const problem = make('p', { className: 'problem', id: FAULT_ID, textContent: fault });
  problem.setAttribute('role', 'alert');
  form.append(problem);
  if (!isOfFile) return;
  const field = form.querySelector('input[type=file]')!;
  field.setAttribute('aria-invalid', 'true');
  field.setAttribute('aria-describedby', `file-hint ${FAULT_ID}`);
}

/** Removes the error of an earlier file. */
function forget(form: HTMLElement): void {
  document.querySelector('#main > .problem')?.remove();
  form.querySelector('.problem')?.remove();
  const field = form.querySelector('input[type=file]')!;
  field.removeAttribute('aria-invalid');
  field.setAttribute('aria-describedby', 'file-hint');
}
