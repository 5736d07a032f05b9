-- down: raw bodies are no longer compared
alter table idempotency drop column bodyhash;
