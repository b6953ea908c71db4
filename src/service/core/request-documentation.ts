/** How requests are documented: with examples, from which readers and programs make requests of their own. */
import type { TObject, TProperties } from '@sinclair/typebox';

/** @param examples values by the names of parameters @returns the schema with them, for the documentation alone */
export function withExamples<Properties extends TProperties>(
  { type, required, properties }: TObject<Properties>,
  examples: Readonly<Record<string, unknown>>,
) {
  const shown = Object.entries(properties).map(([name, schema]) => [
    name,
    name in examples ? { ...schema, examples: [examples[name]] } : schema,
  ]);
  return { type, required, properties: Object.fromEntries(shown) as Properties };
}

type Examples = Readonly<Record<string, { readonly summary: string; readonly value: object }>>;

/** @returns the same body in each of these types */
export const bodyIn = (types: readonly string[], schema: object, examples: Examples) =>
  // The plugin takes the examples from the schema, and puts them where OpenAPI has them.
  Object.fromEntries(types.map((type) => [type, { schema: { ...schema, 'x-examples': examples } }]));

/** The header of a POST that can be sent again. */
export const IDEMPOTENCY_KEY = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      description:
        'A value of your choice. For a day, the same request with the same value gets the same response, and costs nothing. Not with public keys.',
    },
  },
};
