/** Angular: a reactive form without zones. The page compiles it. */
import '@angular/compiler';
import { Component, signal } from '@angular/core';
import { FormControl, FormGroup, ReactiveFormsModule } from '@angular/forms';
import { bootstrapApplication } from '@angular/platform-browser';
import { send, told } from '../../frameworks/page.ts';

@Component({
  selector: 'app-root',
  imports: [ReactiveFormsModule],
  template: `
    <button id="turn" type="button" (click)="isShown.set(!isShown())">Turn the page</button>
    @if (isShown()) {
      <form [formGroup]="form" (ngSubmit)="submit($event)">
        <label for="email">Email</label>
        <input id="email" type="email" formControlName="email" (verified)="tell($event)" (error)="tell($event)"
          [attr.aria-describedby]="hasTip() ? 'tip-text' : null" [class.filled]="form.value.email">
        <p id="tip-text">We write once a month.</p>
        <button id="tip" type="button" (click)="hasTip.set(!hasTip())">Tip</button>
        <button value="first">Other</button>
        <button id="send" value="button">Send</button>
        <output id="model">{{ form.value.email }}</output>
      </form>
    }
    <output id="heard">{{ heard() }}</output>`,
})
class App {
  readonly isShown = signal(true);
  readonly hasTip = signal(false);
  readonly heard = signal('');
  readonly form = new FormGroup({ email: new FormControl('') });

  tell(event: Event): void {
    this.heard.update((before) => before + told(event));
  }

  submit(event: SubmitEvent): void {
    send(this.form.value.email ?? '', event.submitter);
  }
}

const root = document.createElement('app-root');
document.getElementById('app')!.append(root);
await bootstrapApplication(App);
