/** Vue: the directive and the composable, which share one widget. */
import { installEmailVerify, useEmailVerify, vEmailVerify } from 'email-verify-widget/vue';
import { defineComponent, onMounted, onUnmounted, ref, useTemplateRef } from 'vue';
import { send, told } from '../page.ts';

const WorkEmail = defineComponent({
  setup() {
    const input = useTemplateRef<HTMLInputElement>('input');
    const { state, message } = useEmailVerify(input, { allow: { free: false } });
    return { work: ref(''), state, message };
  },
  template: `
    <label>
      Work email <input ref="input" type="text" name="work" v-model="work">
      <output>{{ state === 'rejected' ? message : state }}</output>
    </label>`,
});

export const Components = defineComponent({
  components: { WorkEmail },
  directives: { emailVerify: vEmailVerify },
  setup() {
    const isShown = ref(true);
    const isSecondShown = ref(true);
    const email = ref('');
    const heard = ref('');

    let takeBack = () => {};
    onMounted(() => {
      takeBack = installEmailVerify({ apiKey: 'test_public_key' });
    });
    onUnmounted(() => takeBack());

    return {
      isShown,
      isSecondShown,
      email,
      heard,
      tell(event: Event) {
        heard.value += told(event);
      },
      submit: (event: SubmitEvent) => send(email.value, event.submitter),
    };
  },
  template: `
    <button id="turn" type="button" @click="isShown = !isShown; email = ''">Turn the page</button>
    <button id="turn-second" type="button" @click="isSecondShown = !isSecondShown">Turn the second</button>
    <form v-if="isShown" @submit.prevent="submit">
      <label for="email">Email</label>
      <input v-email-verify="{ verifyAfterDelay: 500 }" id="email" name="email" type="email" v-model="email" @verified="tell" @error="tell">
      <button value="first">Other</button>
      <button id="send" value="button">Send</button>
      <output id="model">{{ email }}</output>
    </form>
    <work-email v-if="isSecondShown"></work-email>
    <input id="stranger" type="email" aria-label="Someone else's">
    <output id="heard">{{ heard }}</output>`,
});
