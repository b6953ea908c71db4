/** Says in a sentence what an event of the widget means for the form. Each sentence comes with its tone. */

/** @param {{ accepted: boolean, message: string, verificationData: { body: string } }} detail of a `verified` event */
export function describeVerified({ accepted, message, verificationData }) {
  const { did_you_mean: suggestion } = JSON.parse(verificationData.body);
  if (suggestion !== null) {
    return [
      accepted ? 'hint' : 'rejected',
      'This address looks mistyped. Press the suggestion to correct it.',
    ];
  }
  if (!accepted) return ['rejected', 'Rejected. The form cannot be submitted.'];
  if (message) return ['hint', 'Accepted with a hint. The form can be submitted.'];
  return ['accepted', 'Accepted. The form can be submitted.'];
}

const TRY_AGAIN = 249;

/** @param {{ status: number, message: string }} detail of an `error` event */
export function describeError({ status, message }) {
  const cause = status === TRY_AGAIN ? 'The service gave no result in time.' : message;
  // Messages of the service may have no full stop.
  return ['error', `${cause.replace(/[^.!?]$/, '$&.')} The form can be submitted.`];
}
