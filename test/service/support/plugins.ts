/** Plugins of a database with which a test looks on. */
import type { KyselyPlugin, RootOperationNode, UnknownRow } from 'kysely';

/** Calls this with the rows of each result, and waits for it before who asked gets them. If it throws, they are lost. */
export const onRows = (look: (rows: readonly UnknownRow[]) => unknown): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  async transformResult({ result }) {
    await look(result.rows);
    return result;
  },
});

/** Calls this before each query is sent. If it throws, the query fails. */
export const onQueries = (look: (node: RootOperationNode) => void): KyselyPlugin => ({
  transformQuery({ node }) {
    look(node);
    return node;
  },
  transformResult: async ({ result }) => result,
});
