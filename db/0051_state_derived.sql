-- Whether the state of a property was derived from its postal code. Existing properties get theirs when they are saved.
alter table property add column statederived boolean;
