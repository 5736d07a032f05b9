-- Calls name mailboxes, as they name mail servers. Of mailboxes with the same name, the later ones get their ID with it.
update mailinbound m set mailinbound = left(m.mailinbound, 80) || ' ' || m.mailinboundid
  where exists (select from mailinbound o where o.mailinbound = m.mailinbound and o.mailinboundid < m.mailinboundid);

-- online: an index of an existing table
create unique index concurrently if not exists mailinbound_mailinbound_idx on mailinbound (mailinbound);
