-- down: mailboxes may have the same name.
drop index mailinbound_mailinbound_idx;
