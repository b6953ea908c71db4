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

export function endpointsOf({ paths = {} }: OpenAPIV3_1.Document): Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item?.[method];
      return operation ? [{ path, method: method.toUpperCase(), operation }] : [];
    }),
  );
}

export const schemasOf = ({ components = {} }: OpenAPIV3_1.Document) =>
  Object.entries(components.schemas ?? {}) as [string, Schema][];

const bodyOf = ({ requestBody }: Operation) => requestBody as OpenAPIV3_1.RequestBodyObject | undefined;
export const bodyTypesOf = (operation: Operation) => Object.keys(bodyOf(operation)?.content ?? {});
export const bodyFieldsOf = (operation: Operation) =>
  fieldsOf(bodyOf(operation)?.content[bodyTypesOf(operation)[0]!]?.schema as Schema | undefined);
export const queryFieldsOf = ({ parameters = [] }: Operation) =>
  (parameters as Parameter[]).filter((parameter) => parameter.in === 'query').map(fieldOf);

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
}

function fieldOf({ name, schema, required = false, description }: Parameter): Field {
  return { name, schema: schema as Schema, required, description };
}

export function fieldsOf(schema: Schema | undefined): Field[] {
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property as Schema,
    required: schema?.required?.includes(name) ?? false,
    description: property.description,
  }));
}
