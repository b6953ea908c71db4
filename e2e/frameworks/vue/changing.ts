/** Vue: inputs whose options change after a verdict, one with the directive and one with the composable. */
import type { EmailVerifyErrorEvent, GivenOptions } from 'email-verify-widget';
import { useEmailVerify, vEmailVerify } from 'email-verify-widget/vue';
import { defineComponent, ref, useTemplateRef } from 'vue';

export const Changing = defineComponent({
  directives: { emailVerify: vEmailVerify },
  setup() {
    const apiKey = ref('test_public_key');
    const allow = ref<GivenOptions['allow']>();
    const messages = ref<GivenOptions['messages']>();
    const failure = ref('');
    const options = () => ({ apiKey: apiKey.value, allow: allow.value, messages: messages.value });

    const tellFailure = ({ detail }: EmailVerifyErrorEvent) => {
      failure.value = detail.message;
    };

    useEmailVerify(useTemplateRef<HTMLInputElement>('work'), options);
    return { apiKey, allow, messages, failure, options, tellFailure };
  },
  template: `
    <button id="forbid" type="button" @click="allow = { free: false }">Forbid</button>
    <button id="reword" type="button" @click="messages = { free: 'At work, please.' }">Reword</button>
    <button id="no-key" type="button" @click="apiKey = ''">No key</button>
    <button id="key" type="button" @click="apiKey = 'test_public_key'">Key</button>
    <form>
      <label for="email">Email</label>
      <input v-email-verify="options()" id="email" name="email" type="email" @error="tellFailure">
      <input ref="work" name="work" type="email" aria-label="Work email">
      <button id="send">Send</button>
    </form>
    <output id="failure">{{ failure }}</output>`,
});
