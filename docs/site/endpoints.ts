/** Reads what a document of OpenAPI says of an API: its endpoints, their parameters, and its schemas. */
import type { OpenAPIV3_1 } from 'openapi-types';

export type Schema = OpenAPIV3_1.SchemaObject;
export type Operation = OpenAPIV3_1.OperationObject;
type Parameter = OpenAPIV3_1.ParameterObject;

/** The methods in the order in which they are shown. */
const METHODS = ['get', 'post', 'options'] as const;

export interface Endpoint {
  readonly path: string;
  readonly method: string;
  readonly operation: Operation;
}

export const endpointsOf = ({ paths }: OpenAPIV3_1.Document) => operationsIn(paths);
/** What the service calls. Each has a name in place of a path. */
export const webhooksOf = ({ webhooks }: OpenAPIV3_1.Document) => operationsIn(webhooks);

function operationsIn(items: OpenAPIV3_1.PathsObject | OpenAPIV3_1.Document['webhooks'] = {}): Endpoint[] {
  return Object.entries(items).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = (item as OpenAPIV3_1.PathItemObject | undefined)?.[method];
      return operation ? [{ path, method: method.toUpperCase(), operation }] : [];
    }),
  );
}

export const schemasOf = ({ components = {} }: OpenAPIV3_1.Document) =>
  Object.entries(components.schemas ?? {}) as [string, Schema][];

export const bodyOf = ({ requestBody }: Operation) =>
  requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
export const bodyTypesOf = (operation: Operation) => Object.keys(bodyOf(operation)?.content ?? {});
export const bodyFieldsOf = (operation: Operation) =>
  fieldsOf(bodyOf(operation)?.content[bodyTypesOf(operation)[0]!]?.schema as Schema | undefined);
/** The first example of the first type of body. */
export function bodyExampleOf(operation: Operation): Readonly<Record<string, unknown>> {
  const { examples = {} } = bodyOf(operation)?.content[bodyTypesOf(operation)[0]!] ?? {};
  return (Object.values(examples)[0] as OpenAPIV3_1.ExampleObject | undefined)?.value ?? {};
}

const parametersIn =
  (place: 'query' | 'header' | 'path') =>
  ({ parameters = [] }: Operation) =>
    (parameters as Parameter[]).filter((parameter) => parameter.in === place).map(fieldOf);
export const queryFieldsOf = parametersIn('query');
export const headerFieldsOf = parametersIn('header');
export const pathFieldsOf = parametersIn('path');

/** In the body, if it has one. */
export const parametersOf = (operation: Operation) => {
  const inBody = bodyFieldsOf(operation);
  return inBody.length > 0 ? inBody : queryFieldsOf(operation);
};

export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly example?: unknown;
}

function fieldOf({ name, schema, required = false, description, example }: Parameter): Field {
  return { name, schema: schema as Schema, required, description, example };
}

export function fieldsOf(schema: Schema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property as Schema,
    required: schema?.required?.includes(name) ?? false,
    description: property.description,
  }));
}
