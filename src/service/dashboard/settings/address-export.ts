/** The stored data about an address, as a file that you can give to its owner. */
import type { FoundData } from './address-found.ts';

export function exportOf(address: string, found: FoundData, at: Date) {
  const { rows, listRows, workbooks, responses, names, keys, urls, verifications } = found;
  const { member, invitation } = found;
  return {
    address,
    exported_at: at.toISOString(),
    batches: rows.map(({ batch, as, duplicates, result, address: written }) => ({
      id: batch.id,
      name: batch.name,
      mode: batch.mode,
      created_at: batch.created_at.toISOString(),
      completed_at: batch.completed_at?.toISOString() ?? null,
      /**
       * `suggestion`: the result of another address suggests it. That address belongs to another person, so the export
       * leaves it out.
       */
      found_as: as,
      ...(as === 'address' && { entries: duplicates + 1, written_as: written, result }),
    })),
    list_rows: listRows.map(({ list, row, cells }) => ({
      list: list.name,
      batch: list.batch_id,
      row,
      header: list.header,
      cells,
    })),
    /** Files that are kept for their other sheets, and have the address in any sheet. */
    workbooks: workbooks.map(({ name, batch_id }) => ({ list: name, batch: batch_id })),
    stored_responses: responses.map(({ created_at, body }) => ({
      created_at: created_at.toISOString(),
      response: JSON.parse(body),
    })),
    names: [...new Set(names.map(({ name }) => name))].map((name) => JSON.parse(name)),
    callback_urls: urls.map(({ id, url }) => ({ batch: id, url })),
    idempotency_keys: keys,
    live_verifications: verifications,
    membership: member ? { role: member.role, since: member.since.toISOString() } : null,
    invitation: invitation
      ? {
          role: invitation.role,
          invited_by: invitation.inviter,
          created_at: invitation.created_at.toISOString(),
          expires_at: invitation.expires_at.toISOString(),
        }
      : null,
  };
}
