-- down: which states of properties were derived from their postal codes; the states stay
alter table property drop column statederived;
