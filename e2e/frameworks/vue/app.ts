/** Vue: `v-model`, in a template that the page compiles. */
import { defineComponent, ref } from 'vue';
import { send, told } from '../page.ts';

export const App = defineComponent({
  setup() {
    const isShown = ref(true);
    const email = ref('');
    const hasTip = ref(false);
    const heard = ref('');
    return {
      isShown,
      email,
      hasTip,
      heard,
      tell(event: Event) {
        heard.value += told(event);
      },
      submit: (event: SubmitEvent) => send(email.value, event.submitter),
    };
  },
  template: `
    <button id="turn" type="button" @click="isShown = !isShown">Turn the page</button>
    <form v-if="isShown" @submit.prevent="submit" novalidate data-allow-mismatch="attribute">
      <label for="email">Email</label>
      <input id="email" name="email" type="email" v-model="email" @verified="tell" @error="tell"
        :aria-describedby="hasTip ? 'tip-text' : undefined" :class="email ? 'filled' : 'empty'">
      <p id="tip-text">We write once a month.</p>
      <button id="tip" type="button" @click="hasTip = !hasTip">Tip</button>
      <button value="first">Other</button>
      <button id="send" value="button">Send</button>
      <output id="model">{{ email }}</output>
    </form>
    <output id="heard">{{ heard }}</output>`,
});
