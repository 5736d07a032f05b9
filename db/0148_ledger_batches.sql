-- Lines of ledgers name the import that added them: its batch.
alter table ledgeritem add column importfileid bigint references importfile;

-- online: ledgeritem is large
create index concurrently if not exists ledgeritem_importfileid_idx on ledgeritem (importfileid)
  where importfileid is not null;
